"""Requests that are submitted without waiting for them, with the kernel's AIO (io_submit(2))."""

import ctypes
import mmap
import os
import platform
import random
from pathlib import Path

BLOCK = 4096
_SETUP, _GETEVENTS, _SUBMIT = (0, 4, 2) if platform.machine() == "aarch64" else (206, 208, 209)


class _Request(ctypes.Structure):
    """struct iocb of linux/aio_abi.h."""

    _fields_ = (
        ("data", ctypes.c_uint64),
        ("key", ctypes.c_uint32),
        ("rw_flags", ctypes.c_int32),
        ("opcode", ctypes.c_uint16),
        ("priority", ctypes.c_int16),
        ("descriptor", ctypes.c_uint32),
        ("buffer", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("offset", ctypes.c_int64),
        ("reserved", ctypes.c_uint64),
        ("flags", ctypes.c_uint32),
        ("event_descriptor", ctypes.c_uint32),
    )


class Submissions:
    """Reads of random blocks, at most ``depth`` in flight. One thread."""

    def __init__(self, path: Path, depth: int, span_blocks: int) -> None:
        """Open the file or device; raises OSError."""
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
        self._memory = mmap.mmap(-1, BLOCK * depth)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._free = list(range(depth))
        self._requests = [_Request() for _ in range(depth)]
        self._events = (ctypes.c_uint64 * (4 * depth))()  # struct io_event: data, obj, res, res2
        self._choice, self._span = random.Random(depth), span_blocks  # noqa: S311 - places
        self._call = ctypes.CDLL(None, use_errno=True).syscall
        self._context = ctypes.c_ulong(0)
        self._checked(_SETUP, depth, ctypes.byref(self._context))

    def submit(self) -> bool:
        """Submit a read; return False if as many as allowed are in flight."""
        self._reap()
        if not self._free:
            return False
        slot = self._free.pop()
        request = self._requests[slot]
        request.data, request.descriptor, request.bytes = slot, self._descriptor, BLOCK
        request.buffer = self._start + BLOCK * slot
        request.offset = BLOCK * self._choice.randrange(self._span)
        pointer = ctypes.pointer(request)
        self._checked(_SUBMIT, self._context, ctypes.c_long(1), ctypes.byref(pointer))
        return True

    def _reap(self) -> None:
        """Take the requests that have completed, without waiting."""
        most = len(self._requests)
        number = self._checked(
            _GETEVENTS, self._context, ctypes.c_long(0), ctypes.c_long(most), self._events, None
        )
        self._free += [int(self._events[4 * row]) for row in range(number)]

    def _checked(self, number: int, *values: object) -> int:
        result = int(self._call(ctypes.c_long(number), *values))
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result
