"""Programs of the lab before other load on the machine, if this user may raise priorities.

With autogroups the kernel divides CPUs between sessions, and niceness counts inside of a session
only; so the session of each program is raised as well.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NICE = -15


@contextmanager
def raised_priority() -> Iterator[int]:
    """Raise the priority of this process, which its children inherit. Yields the niceness."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, min(before, NICE))
    try:
        yield os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, before)


def raise_session(pid: int, proc: Path = Path("/proc")) -> None:
    """Raise the priority of the session of a process that leads one."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    if nice < 0:
        with suppress(OSError):  # a kernel without autogroups
            (proc / str(pid) / "autogroup").write_text(str(nice))
