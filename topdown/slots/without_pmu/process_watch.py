"""Kernel counters of processes over a time: looked at every so often, so that threads that end
before it is over are counted up to the last look that saw them."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from stallscope.machine_time import read_machine_time
from topdown.slots.without_pmu.process_files import (
    ProcessCounts,
    ThreadCounts,
    ThreadLook,
    accounts_disk_waits,
    child_ids,
    read_process,
    read_thread,
    thread_ids,
)

LOOK_EVERY_S = 0.05
# A look takes some 80 us a thread: with thousands of threads looks become rarer, and cost no more.
_LOOKING_SHARE_AT_MOST = 0.05
_NO_THREAD = ThreadCounts(0, 0, 0, 0, 0, 0)
_NO_PROCESS = ProcessCounts(0.0, 0.0, 0, 0)


@dataclass(frozen=True, slots=True)
class KernelCounters:
    """What the kernel counted of the observed processes; None where it keeps no such counter.

    ``thread_s`` is the time that all threads lived while observed. ``looks`` are looks at threads,
    ``waiting_looks`` those that found one waiting, ``waits_in`` these by the kernel's function.
    ``steal_share`` is of all the machine's CPU time, not of this process's.
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
    looks: int
    waiting_looks: int
    waits_in: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _Thread:
    """The first and the last look at a thread, and when these were."""

    first: ThreadCounts
    last: ThreadCounts
    born_s: float
    seen_s: float


@dataclass(slots=True)
class _Process:
    first: ProcessCounts
    last: ProcessCounts


class CounterWatch:
    """Looks at processes and, where asked, at those that they start, from a thread of its own."""

    def __init__(
        self,
        proc: Path = Path("/proc"),
        *,
        with_children: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the root to read from and the clock to go by."""
        self._proc, self._with_children, self._clock = proc, with_children, clock
        self._disk_waits = accounts_disk_waits(proc)
        self._threads: dict[tuple[int, int], _Thread] = {}
        self._processes: dict[int, _Process] = {}
        self._waits_in: Counter[str] = Counter()
        self._looks = 0
        self._began_s = self._ended_s = 0.0
        self._machine = self._machine_now = read_machine_time(proc)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Return the watch itself, not yet looking."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the looking."""
        self.stop()

    def start(self, pids: tuple[int, ...]) -> None:
        """Take the first look, from which differences are made, and go on looking."""
        if self._thread is not None:
            return
        self._machine = read_machine_time(self._proc)
        self._began_s = self._ended_s = self._clock()
        for pid in pids:
            self._processes[pid] = _Process(_NO_PROCESS, _NO_PROCESS)
        self.look(first=True)
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take the last look and end; a second call does nothing."""
        if self._thread is None or self._over.is_set():
            return
        self._over.set()
        self._thread.join()
        self.look()

    def _go_on(self) -> None:
        pause_s = LOOK_EVERY_S
        while not self._over.wait(pause_s):
            began_s = self._clock()
            self.look()
            took_s = self._clock() - began_s
            pause_s = max(LOOK_EVERY_S, took_s / _LOOKING_SHARE_AT_MOST)

    def look(self, *, first: bool = False) -> None:
        """Look once at every thread of every process that lives."""
        now_s = self._clock()
        seen = False
        for pid in list(self._processes):
            seen = self._look_at(pid, now_s, first=first) or seen
            for child in child_ids(self._proc, pid) if self._with_children else ():
                if child not in self._processes:
                    self._processes[child] = _Process(_NO_PROCESS, _NO_PROCESS)
                    self._look_at(child, now_s, first=False)
        if seen:
            self._ended_s = now_s
            self._machine_now = read_machine_time(self._proc)

    def _look_at(self, pid: int, now_s: float, *, first: bool) -> bool:
        counts = read_process(self._proc, pid)
        if counts is None:
            return False
        process = self._processes[pid]
        process.last = counts
        if first:
            process.first = counts
        for tid in thread_ids(self._proc, pid):
            look = read_thread(self._proc, pid, tid, disk_waits=self._disk_waits)
            if look is not None and look.doing != "ended":
                self._note((pid, tid), look, now_s, first=first)
        return True

    def _note(self, name: tuple[int, int], look: ThreadLook, now_s: float, *, first: bool) -> None:
        known = self._threads.get(name)
        if known is None:
            counts = look.counts if first else _NO_THREAD
            self._threads[name] = known = _Thread(counts, counts, now_s, now_s)
        known.last, known.seen_s = look.counts, now_s
        self._looks += 1
        if look.doing == "waiting":
            self._waits_in[look.waits_in] += 1

    def counters(self) -> KernelCounters:
        """Return what was counted between the first look and the last that saw a process."""
        threads, processes = list(self._threads.values()), list(self._processes.values())

        def total(name: str) -> int | None:
            pairs = [(getattr(one.first, name), getattr(one.last, name)) for one in threads]
            known = [last - first for first, last in pairs if None not in (first, last)]
            return sum(known) if known and len(known) == len(pairs) else None

        on_cpu, queued, disk = total("on_cpu_ns"), total("queued_ns"), total("disk_wait_ns")
        return KernelCounters(
            elapsed_s=self._ended_s - self._began_s,
            threads=len(threads),
            thread_s=sum(one.seen_s - one.born_s for one in threads),
            user_s=sum(one.last.user_s - one.first.user_s for one in processes),
            system_s=sum(one.last.system_s - one.first.system_s for one in processes),
            minor_faults=sum(one.last.minor_faults - one.first.minor_faults for one in processes),
            major_faults=sum(one.last.major_faults - one.first.major_faults for one in processes),
            on_cpu_s=None if on_cpu is None else on_cpu / 1e9,
            queued_s=None if queued is None else queued / 1e9,
            voluntary_switches=total("voluntary_switches"),
            involuntary_switches=total("involuntary_switches"),
            migrations=total("migrations"),
            disk_wait_s=None if disk is None else disk / 1e9,
            steal_share=self._steal_share(),
            looks=self._looks,
            waiting_looks=self._waits_in.total(),
            waits_in=tuple(self._waits_in.most_common()),
        )

    def _steal_share(self) -> float | None:
        if self._machine is None or self._machine_now is None:
            return None
        stolen = self._machine_now.stolen - self._machine.stolen
        whole = self._machine_now.all - self._machine.all
        return stolen / whole if whole > 0 else None
