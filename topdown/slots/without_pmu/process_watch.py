"""Kernel counters of processes over time, read periodically.

A thread that ends during the observation is counted up to its last snapshot.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stallscope.closing import Closing
from stallscope.machine_time import read_machine_time
from topdown.slots.without_pmu.process_files import (
    ProcessCounts,
    ThreadCounts,
    ThreadSnapshot,
    accounts_disk_waits,
    child_ids,
    read_process,
    read_thread,
    thread_ids,
)

INTERVAL_S = 0.05
# A snapshot takes about 80 us per thread. With thousands of threads the interval grows, so that
# snapshots never use more than this share of one CPU.
_MAX_CPU_SHARE = 0.05
_ZERO_THREAD = ThreadCounts(0, 0, 0, 0, 0, 0)
_ZERO_PROCESS = ProcessCounts(0.0, 0.0, 0, 0)


@dataclass(frozen=True, slots=True)
class KernelCounters:
    """Kernel counters of the observed processes; None if the kernel has no such counter.

    ``thread_s`` is the lifetime of all threads within the observation. ``snapshots`` is the number
    of thread snapshots, ``waiting_snapshots`` those of a waiting thread, and ``waits_in`` the same
    by kernel function. ``steal_share`` is a share of the machine's CPU time, not of the process's.
    """

    elapsed_s: float
    threads: int
    thread_s: float
    user_s: float
    system_s: float
    minor_faults: int
    major_faults: int
    on_cpu_s: float | None
    queued_s: float | None
    voluntary_switches: int | None
    involuntary_switches: int | None
    migrations: int | None
    disk_wait_s: float | None
    steal_share: float | None
    snapshots: int
    waiting_snapshots: int
    waits_in: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _ThreadHistory:
    """The first and the last counters of a thread, and when they were read."""

    first: ThreadCounts
    last: ThreadCounts
    first_s: float
    last_s: float


@dataclass(slots=True)
class _ProcessHistory:
    first: ProcessCounts
    last: ProcessCounts


class CounterWatch(Closing):
    """Reads counters of processes, and optionally of their children, on a dedicated thread."""

    def __init__(
        self,
        proc: Path = Path("/proc"),
        *,
        with_children: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set the root to read from and the clock."""
        self._proc, self._with_children, self._clock = proc, with_children, clock
        self._disk_waits = accounts_disk_waits(proc)
        self._threads: dict[tuple[int, int], _ThreadHistory] = {}
        self._processes: dict[int, _ProcessHistory] = {}
        self._waits_in: Counter[str] = Counter()
        self._snapshots = 0
        self._started_s = self._ended_s = 0.0
        self._machine_start = self._machine_end = read_machine_time(proc)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """Stop the watch."""
        self.stop()

    def start(self, pids: tuple[int, ...]) -> None:
        """Read the counters that differences start from, and read them periodically from now on."""
        if self._thread is not None:
            return
        self._machine_start = read_machine_time(self._proc)
        self._started_s = self._ended_s = self._clock()
        for pid in pids:
            self._processes[pid] = _ProcessHistory(_ZERO_PROCESS, _ZERO_PROCESS)
        self.read(first=True)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read the counters a last time and end the thread; a second call does nothing."""
        if self._thread is None or self._stopped.is_set():
            return
        self._stopped.set()
        self._thread.join()
        self.read()

    def _run(self) -> None:
        pause_s = INTERVAL_S
        while not self._stopped.wait(pause_s):
            started_s = self._clock()
            self.read()
            duration_s = self._clock() - started_s
            pause_s = max(INTERVAL_S, duration_s / _MAX_CPU_SHARE)

    def read(self, *, first: bool = False) -> None:
        """Read the counters of every live process and thread once."""
        now_s = self._clock()
        alive = False
        for pid in list(self._processes):
            alive = self._read_process(pid, now_s, first=first) or alive
            for child in child_ids(self._proc, pid) if self._with_children else ():
                if child not in self._processes:
                    self._processes[child] = _ProcessHistory(_ZERO_PROCESS, _ZERO_PROCESS)
                    self._read_process(child, now_s, first=False)
        if alive:
            self._ended_s = now_s
            self._machine_end = read_machine_time(self._proc)

    def _read_process(self, pid: int, now_s: float, *, first: bool) -> bool:
        counts = read_process(self._proc, pid)
        if counts is None:
            return False
        process = self._processes[pid]
        process.last = counts
        if first:
            process.first = counts
        for tid in thread_ids(self._proc, pid):
            snapshot = read_thread(self._proc, pid, tid, disk_waits=self._disk_waits)
            if snapshot is not None and snapshot.state != "ended":
                self._add((pid, tid), snapshot, now_s, first=first)
        return True

    def _add(
        self, key: tuple[int, int], snapshot: ThreadSnapshot, now_s: float, *, first: bool
    ) -> None:
        history = self._threads.get(key)
        if history is None:
            counts = snapshot.counts if first else _ZERO_THREAD
            self._threads[key] = history = _ThreadHistory(counts, counts, now_s, now_s)
        history.last, history.last_s = snapshot.counts, now_s
        self._snapshots += 1
        if snapshot.state == "waiting":
            self._waits_in[snapshot.waits_in] += 1

    def counters(self) -> KernelCounters:
        """Return the differences between the first read and the last one with a live process."""
        threads, processes = list(self._threads.values()), list(self._processes.values())

        def total(name: str) -> int | None:
            pairs = [
                (getattr(thread.first, name), getattr(thread.last, name)) for thread in threads
            ]
            increases = [last - first for first, last in pairs if None not in (first, last)]
            return sum(increases) if increases and len(increases) == len(pairs) else None

        def of_processes(name: str) -> float:
            return float(
                sum(
                    getattr(process.last, name) - getattr(process.first, name)
                    for process in processes
                )
            )

        on_cpu, queued, disk = total("on_cpu_ns"), total("queued_ns"), total("disk_wait_ns")
        return KernelCounters(
            elapsed_s=self._ended_s - self._started_s,
            threads=len(threads),
            thread_s=sum(thread.last_s - thread.first_s for thread in threads),
            user_s=of_processes("user_s"),
            system_s=of_processes("system_s"),
            minor_faults=int(of_processes("minor_faults")),
            major_faults=int(of_processes("major_faults")),
            on_cpu_s=None if on_cpu is None else on_cpu / 1e9,
            queued_s=None if queued is None else queued / 1e9,
            voluntary_switches=total("voluntary_switches"),
            involuntary_switches=total("involuntary_switches"),
            migrations=total("migrations"),
            disk_wait_s=None if disk is None else disk / 1e9,
            steal_share=self._steal_share(),
            snapshots=self._snapshots,
            waiting_snapshots=self._waits_in.total(),
            waits_in=tuple(self._waits_in.most_common()),
        )

    def _steal_share(self) -> float | None:
        if self._machine_start is None or self._machine_end is None:
            return None
        stolen = self._machine_end.stolen - self._machine_start.stolen
        whole = self._machine_end.all - self._machine_start.all
        return stolen / whole if whole > 0 else None
