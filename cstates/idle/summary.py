"""Aggregated counts of all idle intervals of a recording."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cstates.idle.intervals import IdleInterval
from cstates.idle.length_counts import LengthCounts

MAX_PROCESSES = 4096  # counted separately; further processes are counted together
OTHERS = "(others)"


@dataclass(slots=True)
class WakeCounts:
    """Wake-ups of one kind; times only of wake-ups whose cause has a time."""

    wakes: int = 0
    too_deep: int = 0  # idle for less than the target residency while a shallower state was open
    timed: int = 0
    awake_sum_ns: int = 0
    awake_squares_us2: float = 0.0  # for the standard deviation

    def add(self, interval: IdleInterval, *, too_deep: bool) -> None:
        """Count a wake-up."""
        self.wakes += 1
        self.too_deep += too_deep
        if interval.awake_ns is not None:
            self.timed += 1
            self.awake_sum_ns += interval.awake_ns
            self.awake_squares_us2 += (interval.awake_ns / 1000) ** 2


@dataclass(slots=True)
class ExitCounts:
    """Histograms of the times since the cause of a wake-up."""

    awake: LengthCounts = field(default_factory=LengthCounts)
    exit: LengthCounts = field(default_factory=LengthCounts)


@dataclass(slots=True)
class IdleSummary:
    """Histograms by CPU and state, exit times by state and cause, wake-ups by process."""

    target_residency_ns: Sequence[int | None]  # by state; None if no shallower state is open
    intervals: int = 0
    with_io_waiters: int = 0  # intervals that began while a task waited for block I/O
    io_waiters_sum: int = 0
    lengths: dict[tuple[int, int], LengthCounts] = field(default_factory=dict)  # CPU, state
    exits: dict[tuple[int, str], ExitCounts] = field(default_factory=dict)  # state, cause
    wakes: dict[tuple[int, str], WakeCounts] = field(default_factory=dict)  # state, cause
    processes: dict[tuple[int, str, int, str], WakeCounts] = field(default_factory=dict)
    _known: set[tuple[int, str]] = field(default_factory=set)

    def add(self, interval: IdleInterval) -> None:
        """Count an interval; costs about 3 us."""
        self.intervals += 1
        self.with_io_waiters += interval.io_waiters > 0
        self.io_waiters_sum += interval.io_waiters
        self.lengths.setdefault((interval.cpu, interval.state), LengthCounts()).record(
            interval.idle_ns
        )
        kind = (interval.state, interval.wake)
        deep = self._too_deep(interval)
        self.wakes.setdefault(kind, WakeCounts()).add(interval, too_deep=deep)
        if interval.exit_ns is not None and interval.awake_ns is not None:
            exits = self.exits.setdefault(kind, ExitCounts())
            exits.awake.record(interval.awake_ns)
            exits.exit.record(interval.exit_ns)
        if interval.pid:
            process = self._process(interval)
            self.processes.setdefault((*process, *kind), WakeCounts()).add(interval, too_deep=deep)

    def intervals_of(self, cpu: int) -> int:
        """Return the number of intervals of one CPU."""
        return sum(lengths.total for (at, _), lengths in self.lengths.items() if at == cpu)

    def _too_deep(self, interval: IdleInterval) -> bool:
        if interval.state >= len(self.target_residency_ns):
            return False
        target_ns = self.target_residency_ns[interval.state]
        return target_ns is not None and interval.idle_ns < target_ns

    def _process(self, interval: IdleInterval) -> tuple[int, str]:
        process = (interval.pid, interval.name)
        if process not in self._known:
            if len(self._known) >= MAX_PROCESSES:
                return (-1, OTHERS)
            self._known.add(process)
        return process
