"""Starts a command under a seccomp filter that rejects perf_event_open, as a container's does.

python -m tests.live.seccomp_filter COMMAND [ARGUMENTS]
"""

import ctypes
import errno
import os
import platform
import struct
import sys

CALL = {"x86_64": 298, "aarch64": 241}  # perf_event_open
_LOAD, _EQUAL, _RETURN = (
    0x20,
    0x15,
    0x06,
)  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install() -> None:
    """Install the filter for this process and its children. Raises OSError."""
    instructions = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (_LOAD, 0, 0, 0),  # the number of the call
            (_EQUAL, 0, 1, CALL[platform.machine()]),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        )
    )
    library = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(instructions) // 8, instructions)
    if library.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or library.prctl(
        _SET_SECCOMP, _FILTER, ctypes.byref(program)
    ):
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    install()
    os.execvp(sys.argv[1], sys.argv[1:])
