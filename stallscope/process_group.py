"""A process group that can be ended after its leader, and is never confused with a later group.

The number of a group is free again once the group has no process. A pidfd of the leader names the
group itself, and since Linux 6.9 it also delivers a signal to it. Older kernels get a search for
the processes of the same group and session; each is verified through a pidfd before it is killed.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import read_text

_GROUP_FLAG = 4  # PIDFD_SIGNAL_PROCESS_GROUP
_MAX_ROUNDS = 100  # of the search; members may fork meanwhile
_ENDED = ("Z", "X")
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class _Status:
    state: str
    group: int
    session: int
    start_ticks: int


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """A group by the pidfd of its leader, which may have ended."""

    number: int
    session: int
    leader: int

    def kill(self) -> None:
        """Send SIGKILL to all processes of the group."""
        try:
            signal.pidfd_send_signal(self.leader, signal.SIGKILL, None, _GROUP_FLAG)
        except ProcessLookupError:
            return
        except OSError:  # EINVAL: Linux before 6.9
            for _ in range(_MAX_ROUNDS):
                if not self._kill_members():
                    return

    def _kill_members(self) -> int:
        """Kill the processes that are members now; return their number."""
        count = 0
        for name in os.listdir(_PROC):  # noqa: PTH208 - names only
            if not name.isdecimal() or not self._contains(int(name)):
                continue
            with suppress(ProcessLookupError), _pidfd(int(name)) as process:
                if self._contains(int(name)):  # still: the pidfd is of the process that was read
                    signal.pidfd_send_signal(process, signal.SIGKILL)
                    count += 1
        return count

    def _contains(self, pid: int) -> bool:
        status = _read_status(pid)
        if status is None or status.state in _ENDED:
            return False
        return (status.group, status.session) == (self.number, self.session)


def group_of_leader(pid: int, start_ticks: int) -> ProcessGroup | None:
    """Return the group of a leader that began at this tick; None if it has ended and was reaped.

    The group keeps a descriptor open until this process ends.
    """
    try:
        leader = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    status = _read_status(pid)
    if status is None or status.start_ticks != start_ticks or status.group != pid:
        os.close(leader)
        return None
    return ProcessGroup(pid, status.session, leader)


def start_ticks(pid: int) -> int:
    """Return the time at which a process began, in ticks since boot; 0 if it does not exist."""
    status = _read_status(pid)
    return status.start_ticks if status else 0


@contextmanager
def _pidfd(pid: int) -> Iterator[int]:
    descriptor = os.pidfd_open(pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read_status(pid: int) -> _Status | None:
    """Return fields of /proc/PID/stat (proc_pid_stat(5)); None if there is no such process."""
    text = read_text(_PROC / str(pid) / "stat", 4096) or ""
    fields = text.rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return _Status(fields[0], int(fields[2]), int(fields[3]), int(fields[19]))
