"""The fields of hot loads of known programs, compiled with debug information and sampled."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.data.result import HotLoadsResult
from harness.data.session import data_of_recording
from tests.live.conftest import public_folder

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "native"
KERNELS = NATIVE / "programs" / "kernels"
# Runs one kernel until it has used 0.4 s of CPU time; the working set is beyond the caches.
DRIVER = """
#include <atomic>
#include <ctime>
#include <string>
#include "kernels/held_out.cpp"
#include "kernels/memory.cpp"
#include "kernels/work.cpp"
using namespace stallscope::kernels;
int main(int, char** words) {
  kernel_settings settings;
  settings.memory_limit_bytes = 96U << 20U;
  settings.caches.l1d.bytes = 32768;
  settings.caches.l2.bytes = 1U << 20U;
  settings.caches.l3.bytes = 16U << 20U;
  const std::string name = words[1];
  const auto kernel = name == "hash-lookups"       ? make_hash_lookups(settings)
                      : name == "pointer-chase-l2" ? make_pointer_chase_l2(settings)
                                                   : make_pointer_chase_dram(settings);
  const std::atomic<bool> stop{false};
  const std::clock_t start = std::clock();
  while (std::clock() - start < CLOCKS_PER_SEC * 2 / 5) kernel->run(0, 5000, stop);
  return kernel->result() == 1;
}
"""
RIGHT = {
    "hash-lookups": {"table_slot.key", "table_slot.value"},
    "pointer-chase-l2": {"chain_node.next"},
    "pointer-chase-dram": {"chain_node.next"},
}


@pytest.fixture(scope="module")
def programs() -> Iterator[dict[str, Path]]:
    """The driver with and without debug information."""
    if shutil.which("g++") is None:
        pytest.skip("needs the program g++")
    with public_folder(0o755) as folder:
        source = folder / "driver.cpp"
        source.write_text(DRIVER)
        include = ["-I", NATIVE, "-I", KERNELS.parent]
        made = {"typed": folder / "typed", "untyped": folder / "untyped"}
        command = ["g++", "-std=c++20", "-O2", "-g", *include, source, "-o", made["typed"]]
        subprocess.run(command, check=True)
        strip = ["objcopy", "--strip-debug", made["typed"], made["untyped"]]
        subprocess.run(strip, check=True)
        yield made


def loads_of(record, program: Path, kernel: str) -> HotLoadsResult:
    """The hot loads of a run of the program."""
    recording = record("-F", "2499", "--", program, kernel)
    assert recording.exit_code == 0, recording.messages
    return data_of_recording(recording.directory).hot_loads


@pytest.mark.parametrize("kernel", RIGHT)
def test_load_samples_are_resolved_to_the_right_field(
    record, programs: dict[str, Path], kernel: str
) -> None:
    loads = loads_of(record, programs["typed"], kernel)
    load_samples = loads.resolved + loads.unresolved
    assert load_samples > 200
    right = sum(
        row.samples
        for row in loads.fields
        if f"{row.type.rpartition('::')[2]}.{row.field}" in RIGHT[kernel]
    )
    assert right >= 0.9 * load_samples, loads


def test_a_program_without_types_has_no_fields(record, programs: dict[str, Path]) -> None:
    loads = loads_of(record, programs["untyped"], "hash-lookups")
    assert [row for row in loads.fields if "kernel" in row.function] == []
    assert loads.untyped > 0.8 * loads.samples
