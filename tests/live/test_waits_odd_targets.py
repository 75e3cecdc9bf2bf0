"""Waits of targets that start other programs or unload libraries; clocks that may step."""

import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.live.test_thread_states import analyzed
from topdown.waits.records import TaskKind
from topdown.waits.states import ThreadState

pytestmark = pytest.mark.live

ATTRIBUTE_RECORD, TRACING_RECORD = 64, 66
USE_CLOCK_ID, FLAGS_AT, CLOCK_AT = 1 << 25, 40, 92  # of perf_event_attr

LIBRARY = """
#include <unistd.h>
void wait_in_library(void) { for (int i = 0; i < 10; ++i) usleep(10000); }
"""
PROGRAM = """
#include <dlfcn.h>
#include <unistd.h>
int main(int count, char **words) {
  void *library = dlopen(words[count - 1], RTLD_NOW);
  void (*wait)(void) = (void (*)(void))dlsym(library, "wait_in_library");
  wait();
  dlclose(library);
  usleep(150000);
  return 0;
}
"""


def test_a_target_that_executes_another_program_keeps_its_states(
    needs_root: None, record: Any
) -> None:
    analysis = analyzed(record("--waits", "--", "sh", "-c", "sleep 0.1; exec sleep 0.2"))
    tasks = analysis.records.tasks
    assert (tasks.kind == TaskKind.EXEC).any()
    assert (analysis.totals.amounts.sum(axis=1) == analysis.totals.wall_ns).all()
    first = min(number for number, thread in enumerate(analysis.records.threads) if thread.target)
    assert analysis.records.threads[first].process_name == "sleep"
    assert analysis.totals.amounts[first, ThreadState.SLEEP] >= 0.15e9


def test_waits_in_a_library_that_was_unloaded_have_its_names(
    needs_root: None, record: Any, tmp_path: Path
) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc")
    program, library = tmp_path / "program", tmp_path / "library.so"
    for path, source, options in (
        (library, LIBRARY, ["-shared", "-fPIC"]),
        (program, PROGRAM, []),
    ):
        words = ["cc", "-g", *options, "-x", "c", "-", "-o", path, "-ldl"]
        subprocess.run(words, input=source, text=True, check=True)
    analysis = analyzed(record("--waits", "--", program, library))
    assert "wait_in_library" in analysis.names.names
    in_library = analysis.names.containing(("wait_in_library",), kernel=False)
    samples = analysis.records.switch_samples
    assert in_library[samples.stack[samples.stack < len(in_library)]].sum() >= 9


def test_no_event_has_times_of_a_clock_that_steps(needs_root: None, record: Any) -> None:
    content = record("--waits", "--", "sleep", "0.05").samples_file.read_bytes()
    clocks, at = [], 16
    while at + 8 <= len(content):
        kind, _, size = struct.unpack_from("<IHH", content, at)
        if kind == ATTRIBUTE_RECORD:
            (flags,) = struct.unpack_from("<Q", content, at + 8 + FLAGS_AT)
            (clock,) = struct.unpack_from("<i", content, at + 8 + CLOCK_AT)
            clocks.append(clock if flags & USE_CLOCK_ID else None)
        if kind == TRACING_RECORD:  # its content follows
            size += struct.unpack_from("<I", content, at + 8)[0]
        at += size
    assert len(clocks) > 3
    assert set(clocks) == {time.CLOCK_MONOTONIC}
