"""Which requests O_DIRECT takes: asked of the kernel, and only where it does not tell, tried.

A read that a disk does not answer cannot be interrupted, not even by SIGKILL, so a process of its
own tries, which is left behind then.
"""

import ctypes
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

from ioprobe.engine.left_processes import leave
from stallscope.errors import UnableError

_BLKSSZGET = 0x1268  # linux/fs.h: a device's logical block size
_STATX_DIOALIGN = 0x2000  # linux/stat.h, since Linux 6.1
_AT_EMPTY_PATH = 0x1000
_AT_STATX_DONT_SYNC = 0x4000  # nothing is asked of a server
_STATX_BYTES = 256
_MASK, _OFFSET_ALIGN = slice(0, 4), slice(156, 160)  # in struct statx
_MOST_TAKEN = 4096
_PATIENCE_S = 10.0  # a disk that slept takes some seconds to spin up
_PROGRAM = Path(__file__).with_name("alignment_read.py")


def direct_alignment(descriptor: int, path: str) -> int:
    """Return the smallest offset and size that something opened with O_DIRECT takes.

    Raises UnableError, about the path, where it had to be read and did not answer in time.
    """
    if stat.S_ISBLK(os.fstat(descriptor).st_mode):
        answer = fcntl.ioctl(descriptor, _BLKSSZGET, bytes(4))
        return int.from_bytes(answer, "little")
    return told_alignment(descriptor) or _tried_alignment(descriptor, path)


def told_alignment(descriptor: int) -> int | None:
    """Return what statx(2) tells; None where this kernel or filesystem does not."""
    answer = ctypes.create_string_buffer(_STATX_BYTES)
    flags = _AT_EMPTY_PATH | _AT_STATX_DONT_SYNC
    try:
        statx = ctypes.CDLL(None).statx
    except (AttributeError, OSError):  # a C library older than it
        return None
    if statx(descriptor, b"", flags, ctypes.c_uint(_STATX_DIOALIGN), answer) != 0:
        return None
    if not int.from_bytes(answer.raw[_MASK], sys.byteorder) & _STATX_DIOALIGN:
        return None
    return int.from_bytes(answer.raw[_OFFSET_ALIGN], sys.byteorder) or None


def _tried_alignment(descriptor: int, path: str) -> int:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_PROGRAM)],
        stdin=descriptor,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        told, _ = process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired as error:
        leave(process)
        size = _last_size(error.output or b"")
        raise UnableError(
            f"{path}: the disk did not answer a read of {size} bytes in {_PATIENCE_S:g} s",
            "see whether it hangs (the kernel's log), or try again when it has woken up",
        ) from error
    except BaseException:
        leave(process)
        raise
    return _last_size(told) if process.returncode == 0 else _MOST_TAKEN


def _last_size(told: bytes) -> int:
    sizes = told.split()
    return int(sizes[-1]) if sizes else _MOST_TAKEN
