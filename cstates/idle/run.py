"""A recording of idle intervals, as the analyses of its costs read it."""

from collections.abc import Iterable
from dataclasses import dataclass

from stallscope.histograms import Histogram


@dataclass(frozen=True, slots=True)
class RecordedState:
    """A state as declared, with its counters during the recording, summed over all CPUs."""

    index: int
    name: str
    exit_latency_us: int | None
    target_residency_us: int | None
    closed_by: str | None
    entries: int | None
    above: float | None  # share of entries that were too deep, by the kernel's counters
    below: float | None  # share of entries that were too shallow


@dataclass(frozen=True, slots=True)
class LatencyPercentiles:
    """Percentiles of times in us; None if nothing was counted."""

    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    max_us: float | None


@dataclass(frozen=True, slots=True)
class WakeRow:
    """Wake-ups from one state by one cause; of one process if ``pid`` is not None."""

    state: int
    wake: str
    wakes: int
    too_deep: int
    timed: int  # wake-ups whose cause has a time
    awake_sum_ns: int
    awake_squares_us2: float
    awake: LatencyPercentiles | None = None
    exits: LatencyPercentiles | None = None
    pid: int | None = None
    name: str = ""

    @property
    def awake_mean_us(self) -> float | None:
        """Return the mean time from the cause to being awake; None without a timed wake-up."""
        return self.awake_sum_ns / self.timed / 1000 if self.timed else None


@dataclass(frozen=True, slots=True)
class IdleRun:
    """A recording; without tracepoints, ``why_counters_only`` is the reason, and only the states
    have numbers.
    """

    command: tuple[str, ...]
    seconds: float
    driver: str | None
    governor: str | None
    why_counters_only: str | None
    cpus: tuple[int, ...]
    states: tuple[RecordedState, ...]
    intervals: int | None
    intervals_kept: int | None
    intervals_discarded: int | None
    lost_events: int | None  # also None if the kernel did not report it
    events: int | None
    reader_cpu_s: float | None
    warnings: tuple[str, ...]
    siblings: dict[int, tuple[int, ...]]  # a CPU's SMT siblings, including itself
    command_cpus: tuple[int, ...]  # the affinity of the command's process; empty: unknown
    lengths: dict[tuple[int, int], Histogram]  # by CPU and state
    wakes: tuple[WakeRow, ...]
    processes: tuple[WakeRow, ...]
    states_missing: str | None = None  # why the machine declares no states

    @property
    def entries(self) -> int | None:
        """Return the idle entries by the kernel's counters; None if a counter was not read."""
        counts = [state.entries for state in self.states if state.entries is not None]
        return sum(counts) if counts and len(counts) == len(self.states) else None

    @property
    def never_idle(self) -> bool:
        """Return whether no CPU went idle."""
        return not self.intervals and self.entries == 0

    @property
    def all_states(self) -> tuple[RecordedState, ...]:
        """Return the declared states and those that were only traced, as in a guest."""
        return (*self.states, *self._undeclared_states())

    def _undeclared_states(self) -> Iterable[RecordedState]:
        declared = {state.index for state in self.states}
        traced = sorted({state for _, state in self.lengths} - declared)
        return (RecordedState(index, f"state{index}", *[None] * 6) for index in traced)

    def lengths_of(self, state: int) -> Histogram | None:
        """Return the lengths of a state's intervals on all CPUs; None if there are none."""
        merged: Histogram | None = None
        for (_, index), histogram in self.lengths.items():
            if index == state:
                merged = histogram if merged is None else merged.plus(histogram)
        return merged
