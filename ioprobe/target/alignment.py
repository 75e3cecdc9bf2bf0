"""The request alignment that O_DIRECT requires: reported by the kernel, else determined by trial.

A read that a disk does not answer cannot be interrupted, not even by SIGKILL. The trial therefore
runs in a separate process, which is abandoned if it hangs.
"""

import ctypes
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

from ioprobe.engine.abandoned_processes import abandon
from stallscope.errors import UnableError

_BLKSSZGET = 0x1268  # linux/fs.h: a device's logical block size
_STATX_DIOALIGN = 0x2000  # linux/stat.h, since Linux 6.1
_AT_EMPTY_PATH = 0x1000
_AT_STATX_DONT_SYNC = 0x4000  # no request to a file server
_STATX_BYTES = 256
_MASK, _OFFSET_ALIGN = slice(0, 4), slice(156, 160)  # in struct statx
_MAX_ALIGNMENT = 4096
_TIMEOUT_S = 10.0  # a disk in standby takes seconds to spin up
_PROGRAM = Path(__file__).with_name("alignment_probe.py")


def direct_alignment(descriptor: int, path: str) -> int:
    """Return the smallest offset and size, in bytes, that an O_DIRECT descriptor accepts.

    Raises UnableError, with the path, if a trial read is not answered in time.
    """
    if stat.S_ISBLK(os.fstat(descriptor).st_mode):
        answer = fcntl.ioctl(descriptor, _BLKSSZGET, bytes(4))
        return int.from_bytes(answer, "little")
    return reported_alignment(descriptor) or _probed_alignment(descriptor, path)


def reported_alignment(descriptor: int) -> int | None:
    """Return the alignment that statx(2) reports; None if kernel or filesystem does not."""
    answer = ctypes.create_string_buffer(_STATX_BYTES)
    flags = _AT_EMPTY_PATH | _AT_STATX_DONT_SYNC
    try:
        statx = ctypes.CDLL(None).statx
    except (AttributeError, OSError):  # an older C library
        return None
    if statx(descriptor, b"", flags, ctypes.c_uint(_STATX_DIOALIGN), answer) != 0:
        return None
    if not int.from_bytes(answer.raw[_MASK], sys.byteorder) & _STATX_DIOALIGN:
        return None
    return int.from_bytes(answer.raw[_OFFSET_ALIGN], sys.byteorder) or None


def _probed_alignment(descriptor: int, path: str) -> int:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_PROGRAM)],
        stdin=descriptor,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        output, _ = process.communicate(timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        abandon(process)
        size = _last_size(error.output or b"")
        raise UnableError(
            f"{path}: the disk did not answer a read of {size} bytes within {_TIMEOUT_S:g} s",
            "look for errors in the kernel's log, or try again after the disk has woken up",
        ) from error
    except BaseException:
        abandon(process)
        raise
    return _last_size(output) if process.returncode == 0 else _MAX_ALIGNMENT


def _last_size(output: bytes) -> int:
    sizes = output.split()
    return int(sizes[-1]) if sizes else _MAX_ALIGNMENT
