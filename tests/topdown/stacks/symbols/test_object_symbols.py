"""Hostile files take bounded CPU time and memory. `./dev fuzz` uses large files."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from tests.long_tests import long_tests
from tests.topdown.stacks.symbols import hostile_files
from topdown.stacks.symbols.object_symbols import AddressSymbols, ObjectReader
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables

pytestmark = pytest.mark.long
MEMORY_BYTES = 320 << 20
CPU_S = 3.0
SIZE = long_tests(short=2 << 20, long=256 << 20)

FILES = {
    "compressed frames": lambda: hostile_files.compressed_frames(SIZE),
    "compressed symbols": lambda: hostile_files.compressed_symbols(SIZE),
    "unwind entries without an end": lambda: hostile_files.undefined_everywhere(SIZE // 8),
    "many symbols": lambda: hostile_files.many_symbols(SIZE // 256),
}


class Measured:
    """Sources with tight limits, and the CPU time that was used since."""

    def __init__(self, **places: object) -> None:
        self.budget = ReadingBudget()
        self._before_s = self.budget.cpu_s
        self._start_s = time.process_time()
        limits = ReadingLimits(memory_bytes=MEMORY_BYTES, cpu_s=2 * CPU_S, wall_s=60.0)
        self.sources = SymbolSources(limits=limits, budget=self.budget, **places)

    def cpu_s(self) -> float:
        own_s = time.process_time() - self._start_s
        return own_s + self._before_s - self.budget.cpu_s

    def symbols(self, mapped, addresses) -> AddressSymbols:
        with ObjectReader([(mapped, addresses)], self.sources) as reader:
            return reader.symbols(0)


@pytest.mark.parametrize("kind", FILES)
def test_a_hostile_binary_takes_bounded_memory_and_time(kind: str, tmp_path: Path, made) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(FILES[kind]())
    mapped = made.Object(os.fsencode(path), hostile_files.BUILD_ID)
    measured = Measured()
    symbols = measured.symbols(mapped, np.arange(0, 1 << 16, 16, dtype=np.uint64))
    UnwindTables(measured.sources)(mapped)
    assert measured.cpu_s() < CPU_S
    if symbols.warning is not None:
        assert "MiB in compressed sections" in symbols.warning.message


@pytest.mark.parametrize("kind", ["nested", "short"])
def test_a_hostile_jit_map_takes_bounded_memory_and_time(kind: str, tmp_path: Path, made) -> None:
    (tmp_path / "jit").mkdir()
    with (tmp_path / "jit/77.map").open("wb") as out:
        for block in hostile_files.jit_map(SIZE // 4, kind):
            out.write(block)
    measured = Measured(recording=tmp_path)
    addresses = np.arange(0x1000, 0x1000 + 2000 * 16, 16, dtype=np.uint64)
    symbols = measured.symbols(made.Object(b"//anon", pid=77), addresses)
    assert measured.cpu_s() < CPU_S
    assert symbols.table is not None
    assert bool((symbols.group >= 0).all()) == (kind == "nested")


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (ReadingLimits(cpu_s=0.001), "the limit of 0.001 s of CPU time was reached"),
        (ReadingLimits(output_bytes=1 << 20), "the limit of 1 MiB of names was reached"),
    ],
    ids=["time", "output"],
)
def test_the_warning_names_the_limit_and_frames_stay_addresses(
    limits: ReadingLimits, reason: str, tmp_path: Path, made
) -> None:
    path = tmp_path / "large"
    path.write_bytes(hostile_files.many_symbols(100_000))
    mapped = made.Object(os.fsencode(path), hostile_files.BUILD_ID)
    with ObjectReader([(mapped, np.zeros(1, np.uint64))], SymbolSources(limits=limits)) as reader:
        symbols = reader.symbols(0)
    assert symbols.table is None
    assert symbols.group.tolist() == [-1]
    assert symbols.warning is not None
    assert symbols.warning.message == f"{path}: {reason}: no symbols from it"


def test_a_warning_names_the_limit_on_memory(tmp_path: Path, made, monkeypatch) -> None:
    monkeypatch.setattr(
        "topdown.stacks.symbols.binaries.find_binary", lambda *_: bytearray(1 << 30)
    )
    mapped = made.Object(os.fsencode(tmp_path), hostile_files.BUILD_ID)
    sources = SymbolSources(limits=ReadingLimits(memory_bytes=1 << 20))
    with ObjectReader([(mapped, np.zeros(1, np.uint64))], sources) as reader:
        warning = reader.symbols(0).warning
    assert warning is not None
    assert "the limit of 1 MiB of memory was reached" in warning.message


def test_a_file_that_never_answers_is_abandoned(tmp_path: Path, made, monkeypatch) -> None:
    """As a file of a stalled FUSE disk, which blocks open(2)."""
    monkeypatch.setattr("topdown.stacks.symbols.binaries.find_binary", lambda *_: time.sleep(60))
    mapped = made.Object(os.fsencode(tmp_path), hostile_files.BUILD_ID)
    sources = SymbolSources(limits=ReadingLimits(wall_s=0.2))
    with ObjectReader([(mapped, np.zeros(1, np.uint64))] * 2, sources) as reader:
        messages = {reader.symbols(number).warning.message for number in range(2)}
    assert messages == {f"{tmp_path}: the time limit of 0.2 s was reached: no symbols from it"}
