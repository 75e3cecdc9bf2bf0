"""Targets whose first thread has ended, that change user, or that fork while being attached."""

import os
import shutil
import subprocess
import sys
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
def test_a_process_whose_first_thread_has_ended_is_recorded(
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


CHANGES_USER = """
import subprocess, sys, time
print("ready", flush=True)
for _ in range(200):
    subprocess.Popen(["su", "-c", "true"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(0.002)
sys.stdin.read()
"""


def test_children_that_change_to_another_user_are_not_sampled(
    start_target, record, as_ordinary_user, open_folder
) -> None:
    if shutil.which("su") is None:
        pytest.skip("needs the program su")
    python = Path(sys.executable).resolve()
    target = start_target("-c", CHANGES_USER, program=python, before=as_ordinary_user)
    output = open_folder / "run"
    words = ("-p", target.pid, "--stacks", "fp", "--duration", 1)
    recording = record(*words, output=output, before=as_ordinary_user)
    assert recording.exit_code in (0, 5), recording.messages
    assert recording.document["complete"]
    warned = [w for w in recording.document["warnings"] if w["code"] == "threads-refused"]
    assert all("left out" in warning["message"] for warning in warned)


def test_a_program_of_another_user_gives_a_warning_that_sampling_ends(
    record, as_ordinary_user, open_folder: Path, target_program: Path
) -> None:
    if os.statvfs(open_folder).f_flag & os.ST_NOSUID:
        pytest.skip("needs the kernel's mounts to allow programs that set the user")
    of_root = Path(shutil.copy(target_program, open_folder / "of\x1broot"))
    of_root.chmod(0o4755)
    both = f"{target_program} spin 200; {of_root} spin 200; {target_program} spin 200"
    words = ("--stacks", "fp", "--", "sh", "-c", both)
    recording = record(*words, output=open_folder / "run", before=as_ordinary_user)
    assert recording.exit_code == 0, recording.messages
    (message,) = [
        warning["message"]
        for warning in recording.document["warnings"]
        if warning["code"] == "programs-of-others"
    ]
    assert "of\x1broot" in message
    assert "target" not in message
    assert "of?root" in recording.messages
    of_root.chmod(0o755)
    recording = record("--force", *words, output=open_folder / "run", before=as_ordinary_user)
    assert recording.exit_code == 0, recording.messages
    assert "programs-of-others" not in recording.warnings()
