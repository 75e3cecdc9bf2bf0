"""Forbids io_uring to this process and all it starts, by seccomp, as containers do.

Run as a module it then runs the command line that follows.
"""

import ctypes
import errno
import struct
import sys

IO_URING_SETUP = 425
_LOAD_NUMBER, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_REFUSE, _ALLOW = 0x00050000 | errno.EPERM, 0x7FFF0000
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def forbid() -> None:
    """Forbid it; ends this process with "cannot: ..." where the kernel has no seccomp."""
    rules = (
        (_LOAD_NUMBER, 0, 0, 0),
        (_JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(
        _SECCOMP, _FILTER, ctypes.create_string_buffer(program), 0, 0
    ):
        sys.exit(f"cannot: {ctypes.get_errno()}")


if __name__ == "__main__":
    from harness.cli.command_line import main

    forbid()
    sys.exit(main(sys.argv[1:]))
