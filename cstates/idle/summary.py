"""What a recording keeps of all its idle intervals, however many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cstates.idle.intervals import IdleInterval
from cstates.idle.length_counts import LengthCounts

MOST_PROCESSES = 4096  # told apart; more of them count as one
OTHERS = "(others)"


@dataclass(slots=True)
class WakeCounts:
    """The wake-ups of one kind; times only of those whose cause has one."""

    wakes: int = 0
    too_deep: int = 0  # idle for less than the state's target residency, a shallower one open
    timed: int = 0
    awake_sum_ns: int = 0
    awake_squares_us2: float = 0.0  # for the spread

    def take(self, interval: IdleInterval, *, too_deep: bool) -> None:
        """Count a wake-up."""
        self.wakes += 1
        self.too_deep += too_deep
        if interval.awake_ns is not None:
            self.timed += 1
            self.awake_sum_ns += interval.awake_ns
            self.awake_squares_us2 += (interval.awake_ns / 1000) ** 2

    def document(self) -> dict[str, object]:
        """Return the counts."""
        return {
            "wakes": self.wakes,
            "too_deep": self.too_deep,
            "timed": self.timed,
            "awake_sum_ns": self.awake_sum_ns,
            "awake_squares_us2": self.awake_squares_us2,
        }


@dataclass(slots=True)
class IdleSummary:
    """Histograms by CPU and state, of exits by state and cause, and wake-ups by process."""

    target_residency_ns: Sequence[int | None]  # by state; of those that a shallower one precedes
    intervals: int = 0
    _lengths: dict[tuple[int, int], LengthCounts] = field(default_factory=dict)
    _exits: dict[tuple[int, str], tuple[LengthCounts, LengthCounts]] = field(default_factory=dict)
    _wakes: dict[tuple[int, str], WakeCounts] = field(default_factory=dict)
    _processes: dict[tuple[int, str, int, str], WakeCounts] = field(default_factory=dict)
    _known: set[tuple[int, str]] = field(default_factory=set)

    def take(self, interval: IdleInterval) -> None:
        """Count an interval; some 3 us."""
        self.intervals += 1
        self._lengths.setdefault((interval.cpu, interval.state), LengthCounts()).record(
            interval.idle_ns
        )
        kind = (interval.state, interval.wake)
        deep = self._too_deep(interval)
        self._wakes.setdefault(kind, WakeCounts()).take(interval, too_deep=deep)
        if interval.exit_ns is not None and interval.awake_ns is not None:
            awake, exits = self._exits.setdefault(kind, (LengthCounts(), LengthCounts()))
            awake.record(interval.awake_ns)
            exits.record(interval.exit_ns)
        if interval.pid:
            who = self._who(interval)
            self._processes.setdefault((*who, *kind), WakeCounts()).take(interval, too_deep=deep)

    def intervals_of(self, cpu: int) -> int:
        """Return how many intervals of one CPU were counted."""
        counted = (lengths.total for (each, _), lengths in self._lengths.items() if each == cpu)
        return sum(counted)

    def _too_deep(self, interval: IdleInterval) -> bool:
        if interval.state >= len(self.target_residency_ns):
            return False
        target = self.target_residency_ns[interval.state]
        return target is not None and interval.idle_ns < target

    def _who(self, interval: IdleInterval) -> tuple[int, str]:
        who = (interval.pid, interval.name)
        if who not in self._known:
            if len(self._known) >= MOST_PROCESSES:
                return (-1, OTHERS)
            self._known.add(who)
        return who

    def documents(self) -> dict[str, list[dict[str, object]]]:
        """Return all as lists of objects."""
        return {
            "idle": list(self._idle()),
            "wakes": list(self._by_kind()),
            "processes": [
                {"pid": pid, "name": name, "state": state, "wake": wake, **counts.document()}
                for (pid, name, state, wake), counts in sorted(self._processes.items())
            ],
        }

    def _idle(self) -> Iterator[dict[str, object]]:
        for (cpu, state), lengths in sorted(self._lengths.items()):
            yield {"cpu": cpu, "state": state, "lengths": lengths.document()}

    def _by_kind(self) -> Iterator[dict[str, object]]:
        for (state, wake), counts in sorted(self._wakes.items()):
            row: dict[str, object] = {"state": state, "wake": wake, **counts.document()}
            for name, which in (("awake_us", 0), ("exit_us", 1)):
                timed = self._exits.get((state, wake))
                row[name] = None if timed is None else _percentiles(timed[which])
            yield row


def _percentiles(lengths: LengthCounts) -> dict[str, float | None]:
    histogram = lengths.histogram()
    values = {f"p{percent}": histogram.percentile(percent) for percent in (50, 90, 99)}
    values["max"] = histogram.largest()
    return {name: None if value is None else value / 1000 for name, value in values.items()}
