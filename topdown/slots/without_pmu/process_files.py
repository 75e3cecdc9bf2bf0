"""Kernel counters of processes and threads, read from /proc.

proc(5) for stat and status; Documentation/scheduler/sched-stats.rst for schedstat. Reading the
counters of one thread takes about 80 us.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from stallscope.system_files import names_in, read_integer, read_text

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_RUNNING = "R"
_WAITING_STATES = "SDI"  # the states of a thread that waits: interruptible, for a disk, idle
_MAX_NAME_BYTES = 64


@dataclass(frozen=True, slots=True)
class ThreadCounts:
    """Counters of a thread since its start; None if the kernel has no such counter."""

    on_cpu_ns: int | None
    queued_ns: int | None
    voluntary_switches: int | None
    involuntary_switches: int | None
    migrations: int | None
    disk_wait_ns: int | None


@dataclass(frozen=True, slots=True)
class ProcessCounts:
    """Counters of a process since its start, including threads that have ended."""

    user_s: float
    system_s: float
    minor_faults: int
    major_faults: int


@dataclass(frozen=True, slots=True)
class ThreadSnapshot:
    """A thread's counters and its state at one time.

    ``state`` is "on CPU or queued", "waiting" or "ended". ``waits_in`` is the kernel function in
    which a waiting thread sleeps, empty if the kernel does not report it.
    """

    counts: ThreadCounts
    state: str
    waits_in: str


def thread_ids(proc: Path, pid: int) -> tuple[int, ...]:
    """Return the current threads of a process; empty if it has ended."""
    return tuple(int(name) for name in names_in(proc / str(pid) / "task") if name.isdecimal())


def child_ids(proc: Path, pid: int) -> tuple[int, ...]:
    """Return the live processes that a process's threads have started."""
    pids: list[int] = []
    for tid in thread_ids(proc, pid):
        text = read_text(proc / str(pid) / "task" / str(tid) / "children") or ""
        pids += [int(word) for word in text.split() if word.isdecimal()]
    return tuple(pids)


def accounts_disk_waits(proc: Path) -> bool:
    """Return whether the kernel accounts disk waits of threads (delay accounting)."""
    return read_integer(proc / "sys" / "kernel" / "task_delayacct") == 1


def read_process(proc: Path, pid: int) -> ProcessCounts | None:
    """Return a process's counters, or None if it has ended."""
    fields = _stat_fields(proc / str(pid) / "stat")
    if fields is None:
        return None
    minor, major, user, system = (int(fields[index]) for index in (7, 9, 11, 12))
    return ProcessCounts(user / _TICKS_PER_S, system / _TICKS_PER_S, minor, major)


def read_thread(proc: Path, pid: int, tid: int, *, disk_waits: bool) -> ThreadSnapshot | None:
    """Return a snapshot of a thread, or None if it has ended."""
    folder = proc / str(pid) / "task" / str(tid)
    fields = _stat_fields(folder / "stat")
    if fields is None:
        return None
    on_cpu, queued = _schedstat(folder)
    status = _numbers(folder / "status", ":")
    disk_ticks = int(fields[39]) if disk_waits and len(fields) > 39 else None
    counts = ThreadCounts(
        on_cpu_ns=on_cpu,
        queued_ns=queued,
        voluntary_switches=status.get("voluntary_ctxt_switches"),
        involuntary_switches=status.get("nonvoluntary_ctxt_switches"),
        migrations=_numbers(folder / "sched", ":").get("se.nr_migrations"),
        disk_wait_ns=None if disk_ticks is None else disk_ticks * (10**9 // _TICKS_PER_S),
    )
    state = fields[0]
    if state == _RUNNING:
        return ThreadSnapshot(counts, "on CPU or queued", "")
    if state not in _WAITING_STATES:
        return ThreadSnapshot(counts, "ended", "")
    wait_channel = read_text(folder / "wchan", _MAX_NAME_BYTES) or ""
    return ThreadSnapshot(counts, "waiting", "" if wait_channel == "0" else wait_channel)


def _stat_fields(path: Path) -> list[str] | None:
    """Return the fields of a stat file from the state on, or None if it has none.

    The thread chooses the name before them, which may hold anything, even parentheses.
    """
    text = read_text(path, 4096)
    fields = text.rpartition(")")[2].split() if text else []
    if len(fields) < 13 or not all(word.lstrip("-").isdecimal() for word in fields[1:]):
        return None
    return fields


def _schedstat(folder: Path) -> tuple[int | None, int | None]:
    words = (read_text(folder / "schedstat", 256) or "").split()
    if len(words) < 2 or not all(word.isdecimal() for word in words):
        return None, None
    return int(words[0]), int(words[1])


def _numbers(path: Path, separator: str) -> dict[str, int]:
    """Return the integers of a file of names and values; empty if it cannot be read."""
    numbers: dict[str, int] = {}
    for line in (read_text(path, 1 << 16) or "").splitlines():
        name, _, value = line.partition(separator)
        if value.strip().isdecimal():
            numbers.setdefault(name.strip(), int(value))
    return numbers
