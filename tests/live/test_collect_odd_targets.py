"""Targets whose first thread is gone, that change user, or that multiply while being attached to."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

FIRST_THREAD_ENDS = """
#include <pthread.h>
#include <stdio.h>
static volatile unsigned sink;
__attribute__((noinline)) void work(void) { for (unsigned i = 0; i < 5000; i++) sink += i; }
static void* run(void* unused) { for (;;) work(); return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  puts("ready"); fflush(stdout);
  pthread_exit(NULL);
}
"""


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], Path]:
    """Compiles a C program."""
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")

    def compile_source(source: str) -> Path:
        file, program = tmp_path / "target.c", tmp_path / "target"
        file.write_text(source)
        subprocess.run(["gcc", "-O1", "-g", "-pthread", file, "-o", program], check=True)
        return program

    return compile_source


@pytest.mark.parametrize("stacks", ["auto", "fp"])
def test_a_process_whose_first_thread_has_ended(
    start_target, record, perf, compiled, stacks: str
) -> None:
    target = start_target(program=compiled(FIRST_THREAD_ENDS))
    status = Path(f"/proc/{target.pid}/status")
    while "\nState:\tZ" not in status.read_text():
        pass
    recording = record("-p", target.pid, "--stacks", stacks, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["end"]["reason"] == "duration"
    names = perf.text("script", "-i", recording.samples_file, "-F", "ip,sym", "--no-inline")
    assert names.count(" work\n") >= 0.9 * recording.document["samples"] > 0
