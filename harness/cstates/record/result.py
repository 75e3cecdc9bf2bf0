"""The result of `stallscope cstates record`: counts of idle intervals, and the machine's states."""

from typing import Annotated, Literal

from msgspec import Meta

from cstates.idle.length_counts import GEOMETRY, MAX_BUCKETS, LengthCounts
from cstates.idle.summary import ExitCounts, IdleSummary, WakeCounts
from harness.cstates.show.result import ShowResult
from stallscope.documents import (
    UNSET,
    Amount,
    Count,
    Document,
    Integer,
    Record,
    UnsetType,
    field,
)
from stallscope.system_files import MAX_CPUS

CpuNumber = Annotated[int, Meta(ge=0, lt=MAX_CPUS)]
StateIndex = Annotated[int, Meta(ge=0, le=255)]


class RecordingEnd(Record, frozen=True, kw_only=True):
    """How a recording ended."""

    reason: Literal["command", "duration", "interrupted"]
    status: str | None = None  # of the command, for example "exited 3"

    @property
    def failed(self) -> bool:
        """Return whether the command failed by itself."""
        return self.reason == "command" and self.status != "exited 0"


class BucketCounts(Record, frozen=True, kw_only=True):
    """A histogram: counts by bucket, with two significant digits."""

    digits: Count = GEOMETRY.digits
    sum_ns: Count = 0
    counts: dict[Count, Count]

    def __post_init__(self) -> None:
        """Check the buckets."""
        if any(not 0 <= bucket < MAX_BUCKETS for bucket in self.counts):
            raise ValueError(f"a bucket is not between 0 and {MAX_BUCKETS - 1}")


class StateLengths(Record, frozen=True, kw_only=True):
    """The lengths of the intervals in one state of one CPU."""

    cpu: CpuNumber
    state: StateIndex
    lengths: BucketCounts


class TimePercentiles(Record, frozen=True, kw_only=True):
    """Percentiles of times in us."""

    p50: Amount | None = None
    p90: Amount | None = None
    p99: Amount | None = None
    max: Amount | None = None


class WakeupCounts(Record, frozen=True, kw_only=True):
    """Wake-ups from one state by one cause; times only of wake-ups whose cause has a time."""

    state: StateIndex
    wake: str
    wakes: Count
    too_deep: Count
    timed: Count
    awake_sum_ns: Count
    awake_squares_us2: Amount


class StateWakeups(WakeupCounts, frozen=True, kw_only=True):
    """Wake-ups of all processes, with percentiles of their times."""

    awake_us: TimePercentiles | None = None
    exit_us: TimePercentiles | None = None


class ProcessWakeups(WakeupCounts, frozen=True, kw_only=True):
    """Wake-ups that one process followed."""

    pid: Integer
    name: str


class RecordingOverhead(Record, frozen=True, kw_only=True):
    """What tracing cost."""

    events: Count | None = None
    reader_cpu_s: Amount | None = None


class IoWaiterEstimate(Record, frozen=True, kw_only=True):
    """The column `iowaiters` of the trace: a model of the kernel's count, which it does not export.

    A task counts from an uninterruptible switch-out between a block request's issue and completion.
    """

    kind: Literal["modelled"] = "modelled"
    intervals: Count  # that began with at least one waiter
    mean: Amount  # waiters at the begin of an interval


class IdleResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.record/1"):
    """A recording of idle intervals; without tracepoints only the machine's counters.

    ``recording`` and ``report`` are set only in what ``--json`` prints: the paths of the recording
    and its page.
    """

    source: Literal["tracepoints", "counters"] = "tracepoints"
    why_counters_only: str | None = None
    command: tuple[str, ...] = ()
    command_cpus: tuple[CpuNumber, ...] | None = None
    end: RecordingEnd | None = None
    seconds: Amount
    machine: ShowResult
    siblings: dict[Count, tuple[Count, ...]] = field(default_factory=dict)
    intervals: Count | None = None
    intervals_kept: Count | None = None
    intervals_discarded: Count | None = None
    lost_events: Count | None
    overhead: RecordingOverhead | None = None
    missing_tracepoints: tuple[str, ...] = ()
    iowaiters: IoWaiterEstimate | None = None  # None: block requests could not be traced
    warnings: tuple[str, ...] = ()
    idle: tuple[StateLengths, ...] = ()
    wakes: tuple[StateWakeups, ...] = ()
    processes: tuple[ProcessWakeups, ...] = ()
    recording: str | UnsetType = UNSET
    report: str | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        """Check that a traced recording has its counts."""
        counts = (self.intervals, self.intervals_kept, self.intervals_discarded)
        if self.why_counters_only is None and None in counts:
            raise ValueError("a traced recording must have the number of intervals")


def io_waiter_estimate(summary: IdleSummary) -> IoWaiterEstimate:
    """Return the estimate of tasks that wait for block I/O."""
    return IoWaiterEstimate(
        intervals=summary.with_io_waiters,
        mean=summary.io_waiters_sum / summary.intervals if summary.intervals else 0.0,
    )


def state_lengths(summary: IdleSummary) -> tuple[StateLengths, ...]:
    """Return the histograms of a summary by CPU and state."""
    return tuple(
        StateLengths(cpu=cpu, state=state, lengths=_buckets(lengths))
        for (cpu, state), lengths in sorted(summary.lengths.items())
    )


def _buckets(lengths: LengthCounts) -> BucketCounts:
    return BucketCounts(sum_ns=lengths.sum_ns, counts=dict(sorted(lengths.counts.items())))


def state_wakeups(summary: IdleSummary) -> tuple[StateWakeups, ...]:
    """Return the wake-ups of a summary by state and cause."""
    return tuple(
        _state_wakeups(state, wake, counts, summary.exits.get((state, wake)))
        for (state, wake), counts in sorted(summary.wakes.items())
    )


def _state_wakeups(
    state: int, wake: str, counts: WakeCounts, exits: ExitCounts | None
) -> StateWakeups:
    return StateWakeups(
        state=state,
        wake=wake,
        wakes=counts.wakes,
        too_deep=counts.too_deep,
        timed=counts.timed,
        awake_sum_ns=counts.awake_sum_ns,
        awake_squares_us2=counts.awake_squares_us2,
        awake_us=None if exits is None else _percentiles(exits.awake),
        exit_us=None if exits is None else _percentiles(exits.exit),
    )


def _percentiles(lengths: LengthCounts) -> TimePercentiles:
    histogram = lengths.histogram()
    p50, p90, p99 = (histogram.percentile(percent) for percent in (50, 90, 99))
    return TimePercentiles(p50=_us(p50), p90=_us(p90), p99=_us(p99), max=_us(histogram.largest()))


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else time_ns / 1000


def process_wakeups(summary: IdleSummary) -> tuple[ProcessWakeups, ...]:
    """Return the wake-ups of a summary by process, state and cause."""
    return tuple(
        ProcessWakeups(
            pid=pid,
            name=name,
            state=state,
            wake=wake,
            wakes=counts.wakes,
            too_deep=counts.too_deep,
            timed=counts.timed,
            awake_sum_ns=counts.awake_sum_ns,
            awake_squares_us2=counts.awake_squares_us2,
        )
        for (pid, name, state, wake), counts in sorted(summary.processes.items())
    )
