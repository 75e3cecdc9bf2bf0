"""Reading and writing one setting's file, with every error that the kernel reports.

A value is written by a single write(2). Python's file objects would lose its EINVAL, which is
raised in close and dropped at collection. Files of a recorded machine are regular files; they are
written so that they contain the old or the new value at any time, even if the writer is killed.
"""

import os
import stat
from pathlib import Path

from stallscope.system_files import Roots, read_text

MAX_VALUE_BYTES = 4096  # the page that sysfs reads and writes at once


def host_path(roots: Roots, path: str) -> Path:
    """Return the path below these roots that stands for a live machine's path."""
    for prefix, root in (("/sys/", roots.sys), ("/proc/", roots.proc), ("/", roots.files)):
        if path.startswith(prefix):
            return root / path.removeprefix(prefix)
    raise ValueError(path)


def read_value(roots: Roots, path: str) -> str | None:
    """Return a setting's value without its newline; None if it has none."""
    return read_text(host_path(roots, path), MAX_VALUE_BYTES)


def write_value(roots: Roots, path: str, value: str) -> str:
    """Return the value read back after writing; raises OSError if the kernel rejects it."""
    file = host_path(roots, path)
    flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(file, flags)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and not roots.is_live:
            _write_regular(descriptor, value)
        else:
            os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
    after = read_text(file, MAX_VALUE_BYTES)
    if after is None:
        raise OSError(0, "cannot be read back", str(file))
    return after


def _write_regular(descriptor: int, value: str) -> None:
    """Write the value padded with newlines in one step, then cut the padding."""
    content = value.encode() + b"\n"
    os.pwrite(descriptor, content.ljust(os.fstat(descriptor).st_size, b"\n"), 0)
    os.ftruncate(descriptor, len(content))
