"""Recordings of marks of requests."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness.requests.header import header_path
from stallscope.programs import program

pytestmark = pytest.mark.live

PROGRAM = """\
#include "stallscope_request.h"
#include <unistd.h>
int main(void) {
  for (int i = 0; i < 60; ++i) {
    stallscope_request_begin((uint64_t)i, "work");
    usleep(5000);
    stallscope_request_end((uint64_t)i);
  }
  return 0;
}
"""


def rings_of(pid: int) -> int:
    """Return the number of rings that a process has mapped."""
    return Path(f"/proc/{pid}/maps").read_text().count("/memfd:stallscope")


def test_rings_of_ended_processes_are_given_back(needs_root: None, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None
    source, marks = tmp_path / "marks.c", tmp_path / "marks"
    source.write_text(PROGRAM)
    words = [compiler, "-std=gnu17", f"-I{header_path().parent}", source, "-o", marks]
    subprocess.run(words, check=True)
    collector = [program("stallscope-collect"), "--requests", "-o", tmp_path / "run", "--"]
    script = f"{marks}; {marks}; exec sleep 20"
    with subprocess.Popen(
        [*collector, "/bin/sh", "-c", script], stderr=subprocess.DEVNULL
    ) as process:
        most = 0
        deadline_s = time.monotonic() + 20
        while time.monotonic() < deadline_s:
            mapped = rings_of(process.pid)
            most = max(most, mapped)
            if most and not mapped:
                break
            time.sleep(0.02)
        left = rings_of(process.pid)
        process.terminate()
    assert most >= 1
    assert left == 0
    # 64 bytes per mark behind the head of the file.
    assert (tmp_path / "run" / "requests.bin").stat().st_size > 60 * 64
