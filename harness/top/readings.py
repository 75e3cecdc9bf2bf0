"""One reading of the counters behind the view: threads, disks, sleep states, run queue."""

import os
import resource
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from stallscope.system_files import Roots, names_in, numbers_in, read_text
from topdown.waits.waiting_calls import CallGroup, waiting_calls

# More threads, CPUs or disks would cost more than 1 % of a CPU.
MAX_THREADS = 32
MAX_CPUS = 8
MAX_DISKS = 16

_GROUPS = {
    CallGroup.FUTEX: "lock or condition",
    CallGroup.READ: "read",
    CallGroup.WRITE: "write",
    CallGroup.POLL: "poll",
    CallGroup.NETWORK: "network",
    CallGroup.SLEEP: "sleep",
    CallGroup.DISK_READ: "disk",
    CallGroup.DISK_WRITE: "disk",
    CallGroup.EVENT: "other process",
    CallGroup.FILE_LOCK: "file lock",
    CallGroup.MEMORY: "memory lock",
    CallGroup.COMPLETION: "completion",
    CallGroup.DEVICE: "device",
    CallGroup.MEMBARRIER: "barrier",
}
UNREADABLE = "sleeping"
_RUNNING = "R"
_DISK_FIELDS = 14


@dataclass(frozen=True, slots=True)
class ThreadTimes:
    """Run and queue time of a thread since its start, from schedstat."""

    run_ns: int
    queue_ns: int


@dataclass(frozen=True, slots=True)
class DiskCounters:
    """Requests that ended, their total time, and the time with a request in flight."""

    reads: int
    read_ms: int
    writes: int
    write_ms: int
    busy_ms: int


@dataclass(frozen=True, slots=True)
class Reading:
    """All counters at one time. Keys of ``idle_us``: CPU and name of the state."""

    at_s: float
    own_cpu_s: float
    threads: int
    process_cpu_s: float | None
    times: dict[int, ThreadTimes]
    cpu_ticks: dict[str, int]
    running: int | None
    disks: dict[str, DiskCounters]
    idle_us: dict[tuple[int, str], int]
    idle_cpus: tuple[int, ...]
    pressure_us: dict[str, int]


@dataclass(slots=True)
class SampledStates:
    """How often sleeping threads were seen in each category; ``refused``: no call was readable."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: int = 0


class Reader:
    """Reads a process, or the machine if ``pid`` is None. 32 threads take about 1 ms."""

    def __init__(self, roots: Roots, pid: int | None, architecture: str) -> None:
        self._roots = roots
        self._pid = pid
        self._calls = {
            number: _GROUPS[group] for number, (_, group) in waiting_calls(architecture).items()
        }
        self._offset = 0
        self._chosen: tuple[int, ...] = ()
        self._disks = whole_disks(roots)
        self.cpus = numbers_in(roots.sys / "devices/system/cpu", "cpu")

    def choose_threads(self) -> None:
        """Choose the threads of the next interval: others each time, if there are many."""
        threads = self._threads()
        if len(threads) > MAX_THREADS:
            self._offset %= len(threads)
            turned = threads[self._offset :] + threads[: self._offset]
            self._offset += MAX_THREADS
            threads = turned[:MAX_THREADS]
        self._chosen = threads

    def read(self) -> Reading:
        """Return the counters now."""
        times = {
            tid: spent for tid in self._chosen if (spent := self._thread_times(tid)) is not None
        }
        cpu_s, threads = self._process()
        ticks, running = _cpu_ticks(read_text(self._roots.proc / "stat") or "")
        cpus, idle = self._idle()
        return Reading(
            at_s=time.monotonic(),
            own_cpu_s=_own_cpu_s(),
            threads=threads,
            process_cpu_s=cpu_s,
            times=times,
            cpu_ticks=ticks,
            running=running,
            disks=self._disk_counters(),
            idle_us=idle,
            idle_cpus=cpus,
            pressure_us=self._pressure(),
        )

    def sample(self, states: SampledStates) -> None:
        """Add what each chosen thread that does not run waits for at this instant."""
        for tid in self._chosen:
            folder = self._roots.proc / str(self._pid) / "task" / str(tid)
            letter = (read_text(folder / "stat", 4096) or "").rpartition(")")[2].strip()[:1]
            if not letter or letter == _RUNNING:
                continue
            call = (read_text(folder / "syscall", 256) or "").partition(" ")[0]
            if letter in {"T", "t"}:
                category = "stopped"
            elif call.isdecimal():
                category = self._calls.get(int(call), "other call")
            else:
                category = UNREADABLE
                states.refused += not call
            if letter == "D" and category not in {"disk", "memory lock"}:
                category = "uninterruptible (disk)"
            states.counts[category] += 1

    def _threads(self) -> tuple[int, ...]:
        if self._pid is None:
            return ()
        names = names_in(self._roots.proc / str(self._pid) / "task")
        return tuple(sorted(int(name) for name in names if name.isdecimal()))

    def _process(self) -> tuple[float | None, int]:
        """Return the CPU time of all threads of the process, and their number; 0 if it ended."""
        if self._pid is None:
            return None, 0
        text = read_text(self._roots.proc / str(self._pid) / "stat", 4096) or ""
        words = text.rpartition(")")[2].split()
        try:
            # Fields 14, 15 and 20 of proc(5); the state after the name is field 3.
            ticks, threads = int(words[11]) + int(words[12]), int(words[17])
        except (IndexError, ValueError):
            return None, 0
        return ticks / os.sysconf("SC_CLK_TCK"), max(0, threads)

    def _thread_times(self, tid: int) -> ThreadTimes | None:
        path = self._roots.proc / str(self._pid) / "task" / str(tid) / "schedstat"
        words = (read_text(path, 256) or "").split()
        if len(words) < 2 or not all(word.isdecimal() for word in words[:2]):
            return None
        return ThreadTimes(int(words[0]), int(words[1]))

    def _idle(self) -> tuple[tuple[int, ...], dict[tuple[int, str], int]]:
        times: dict[tuple[int, str], int] = {}
        for cpu in self.cpus[:MAX_CPUS]:
            folder = self._roots.sys / f"devices/system/cpu/cpu{cpu}/cpuidle"
            for index in numbers_in(folder, "state"):
                state = folder / f"state{index}"
                time_us, name = read_text(state / "time", 64), read_text(state / "name", 64)
                if name and time_us and time_us.isdecimal():
                    times[cpu, name] = int(time_us)
        return tuple(sorted({cpu for cpu, _ in times})), times

    def _disk_counters(self) -> dict[str, DiskCounters]:
        counters = {}
        for line in (read_text(self._roots.proc / "diskstats") or "").splitlines():
            words = line.split()
            if len(words) < _DISK_FIELDS or words[2] not in self._disks:
                continue
            try:
                numbers = [int(word) for word in words[3:_DISK_FIELDS]]
            except ValueError:
                continue
            counters[words[2]] = DiskCounters(
                numbers[0], numbers[3], numbers[4], numbers[7], numbers[9]
            )
        return counters

    def _pressure(self) -> dict[str, int]:
        totals = {}
        for kind in ("cpu", "io", "memory"):
            text = read_text(self._roots.proc / "pressure" / kind, 4096) or ""
            total = text.partition("\n")[0].rpartition("total=")[2]
            if total.isdecimal():
                totals[kind] = int(total)
        return totals


def _own_cpu_s() -> float:
    """Return the CPU time of this process and of the recordings that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def whole_disks(roots: Roots) -> frozenset[str]:
    """Return the names of disks without partitions, loop devices and disks in memory."""
    names: Sequence[str] = names_in(roots.sys / "block")
    kept = [name for name in names if not name.startswith(("loop", "ram", "zram", "dm-"))]
    return frozenset(sorted(kept)[:MAX_DISKS])


def _cpu_ticks(text: str) -> tuple[dict[str, int], int | None]:
    """Return the ticks of all CPUs by kind, and the threads that run or could run."""
    kinds = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    ticks: dict[str, int] = {}
    running = None
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["cpu"]:
            values = [int(word) for word in words[1:] if word.isdecimal()]
            ticks = dict(zip(kinds, values, strict=False))
        elif words[:1] == ["procs_running"] and words[-1].isdecimal():
            running = int(words[-1])
    return ticks, running
