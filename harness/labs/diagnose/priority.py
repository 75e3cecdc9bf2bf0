"""Programs of the lab before other load on the machine, if this user may raise priorities.

With autogroups the kernel divides CPUs between sessions, and niceness counts inside of a session
only; so the session of each program is raised as well. Since Linux 6.12 a thread that wakes
preempts another one only if its time slice is shorter, so that a program that waits often would
be queued behind any other; hence the shorter slice.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NICE = -15
SLICE_NS = 500_000
_SET, _GET = {"x86_64": (314, 315), "aarch64": (274, 275)}.get(os.uname().machine, (0, 0))


class _Attributes(ctypes.Structure):
    """struct sched_attr of the kernel in its first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def request_slice(slice_ns: int) -> None:
    """Request a time slice for this thread, which its children inherit; 0 for the default.

    Older kernels ignore it.
    """
    attributes = _Attributes()
    size = ctypes.sizeof(attributes)
    library = ctypes.CDLL(None)
    if not _SET or library.syscall(_GET, 0, ctypes.byref(attributes), size, 0) != 0:
        return
    attributes.size, attributes.runtime = size, slice_ns
    library.syscall(_SET, 0, ctypes.byref(attributes), 0)


@contextmanager
def raised_priority() -> Iterator[int]:
    """Raise the priority of this process, which its children inherit. Yields the niceness."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, min(before, NICE))
        request_slice(SLICE_NS)
    try:
        yield os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        with suppress(PermissionError):
            request_slice(0)
            os.setpriority(os.PRIO_PROCESS, 0, before)


def raise_session(pid: int, proc: Path = Path("/proc")) -> None:
    """Raise the priority of the session of a process that leads one."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    if nice < 0:
        with suppress(OSError):  # a kernel without autogroups
            (proc / str(pid) / "autogroup").write_text(str(nice))
