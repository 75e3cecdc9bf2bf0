"""A recorded /proc with one process, for the files of compilers."""

import os
from pathlib import Path

import pytest

BOOT = "7a1b"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A recorded /proc with process 4711, which has PID 5 in its namespace."""
    proc = tmp_path / "proc"
    (proc / "sys/kernel/random").mkdir(parents=True)
    (proc / "sys/kernel/random/boot_id").write_text(BOOT + "\n")
    (proc / "4711/root/tmp").mkdir(parents=True)
    uid = os.getuid()
    (proc / "4711/status").write_text(
        f"Name:\tx\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nNSpid:\t4711\t5\n"
    )
    (proc / "4711/maps").write_text("1000-2000 r-xp 00000000 08:01 5 /usr/bin/julia\n")
    return proc
