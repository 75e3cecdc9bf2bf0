"""Reading and writing one setting's file, where each error of the kernel counts.

A value is written by one write(2): Python's own files would lose its EINVAL, raised in close and
dropped at collection. Files of a recorded machine are regular ones; they are changed so that at
each moment, whoever is killed, they read as the former or the new value.
"""

import os
import stat
from pathlib import Path

from stallscope.system_files import Roots, read_text

LONGEST = 4096  # what sysfs gives and takes at once


def place_of(roots: Roots, path: str) -> Path:
    """Return where a live machine's path stands below these roots."""
    for start, root in (("/sys/", roots.sys), ("/proc/", roots.proc), ("/", roots.files)):
        if path.startswith(start):
            return root / path.removeprefix(start)
    raise ValueError(path)


def read_value(roots: Roots, path: str) -> str | None:
    """Return a setting's value without its newline; None where there is none."""
    return read_text(place_of(roots, path), LONGEST)


def write_value(roots: Roots, path: str, value: str) -> str:
    """Return what the setting reads after the value was written; raises OSError as refused."""
    place = place_of(roots, path)
    flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(place, flags)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and not roots.is_live:
            _write_regular(descriptor, value)
        else:
            os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
    found = read_text(place, LONGEST)
    if found is None:
        raise OSError(0, "cannot be read back", str(place))
    return found


def _write_regular(descriptor: int, value: str) -> None:
    """Write in one step what reads as the value; then cut the newlines that fill it up."""
    content = value.encode() + b"\n"
    os.pwrite(descriptor, content.ljust(os.fstat(descriptor).st_size, b"\n"), 0)
    os.ftruncate(descriptor, len(content))
