"""The result of `stallscope profile`: source, losses, functions and threads by weight."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from harness.profile.lines import SourceLine, lines_of_profile
from harness.profile.module_result import ProfileModule, module_results
from harness.profile.runtime_result import RuntimeResult, runtime_results
from harness.profile.time_result import (
    DifferingPeriod,
    ProfileIdlePool,
    WakerTime,
    differing_periods,
    profile_idle_pools,
    waker_times,
)
from stallscope.documents import (
    UNSET,
    Amount,
    Count,
    Document,
    Integer,
    Number,
    Record,
    Share,
    UnsetType,
)
from topdown.stacks.profile import Function, Profile

if TYPE_CHECKING:
    from harness.profile.analysis import Analysis
    from stallscope.recordings import StackRecording
    from topdown.stacks.profile import StackShares
    from topdown.stacks.python.shares import PythonShares
    from topdown.stacks.ranking import RankedFunction, RankedThread

Interval = tuple[Number, Number]


class ProfileSource(Record, frozen=True, kw_only=True):
    """The sampled event."""

    event: str
    kind: str
    unit: str
    scope: str
    frequency_hz: Count | None
    period: Count | None


class TruncationReason(Record, frozen=True):
    """Share of the weight in stacks that are truncated for one reason."""

    reason: str
    share: Amount


class StacksResult(Record, frozen=True, kw_only=True):
    """How stacks were recorded, and shares of the weight by completeness; None: not known."""

    requested: str | None  # "fp", "dwarf" or "auto"
    chosen: str | None
    copy_bytes: Count | None
    why: str | None
    complete_share: Amount | None
    truncated_share: Amount | None
    cut_share: Amount | None
    reasons: tuple[TruncationReason, ...]


class PythonResult(Record, frozen=True, kw_only=True):
    """Samples of CPython processes; shares are of ``samples``, None: not known."""

    versions: tuple[str, ...]
    samples: Count
    framed_share: Amount | None
    native_share: Amount | None
    moved_on_share: Amount | None
    unread_share: Amount | None
    gil_held_share: Amount | None
    torn_reads: Count
    late_reads: Count
    trampolined_processes: Count


class CountedIpc(Record, frozen=True, kw_only=True):
    """Instructions per cycle."""

    value: Number
    interval: Interval | None


class CountedNode(Record, frozen=True, kw_only=True):
    """A node of the slot tree, in the model's unit; ``value`` is None if it is not known."""

    value: Number | None
    level: Integer | None
    parent: str | None
    above_threshold: bool | None
    interval: Interval | None
    warnings: tuple[str, ...]


class CountedValues(Record, frozen=True, kw_only=True):
    """Counts of samples with readings, and values derived from them."""

    samples: Count
    too_few: bool
    counts: dict[str, Number]
    same_share: Amount | None
    ipc: CountedIpc | None
    nodes: dict[str, CountedNode]
    dominating: str | None


class CountedFunction(CountedValues, frozen=True, kw_only=True):
    """Counts of a function: its own samples, and with its callees (``total_*``)."""

    name: str
    module: str
    total_samples: Count | None
    total_counts: dict[str, Amount] | None


class ExcludedResult(Record, frozen=True, kw_only=True):
    """Numbers of samples whose counts are assigned to no function, by reason."""

    unread: Count
    first: Count
    gap: Count
    reset: Count


class CountedResult(Record, frozen=True, kw_only=True):
    """Counts of an event group by function."""

    kind: str
    events: tuple[str, ...]
    cpu: str | None
    interval_label: str
    running_share: Amount
    gap_share: Amount
    left_out: ExcludedResult
    total: CountedValues
    functions: tuple[CountedFunction, ...]
    warnings: tuple[str, ...]


class LineSamples(Record, frozen=True):
    """Number of samples on a source line."""

    line: str
    samples: Count


class ProfileFunction(Record, frozen=True, kw_only=True):
    """A function; shares are of the weight sampled, None: nothing was sampled."""

    name: str
    module: str
    kind: str
    self_share: Amount | None
    total_share: Amount | None
    self_samples: Count
    lines: tuple[LineSamples, ...] | UnsetType = UNSET


class ProfileThread(Record, frozen=True, kw_only=True):
    """A thread with its share of the weight."""

    pid: Integer
    tid: Integer
    process: str
    name: str
    share: Amount | None
    samples: Count
    value: Count


class ProfileWarningText(Record, frozen=True):
    """A warning about the numbers."""

    code: str
    message: str


class LocatedFunction(Record, frozen=True, kw_only=True):
    """A function with its share of an event's samples."""

    name: str
    module: str
    self_share: Share
    self_samples: Count
    lines: tuple[LineSamples, ...]


class LocatedEvent(Record, frozen=True, kw_only=True):
    """The functions in which an event of a flagged node occurred.

    ``unavailable``: why there are none, None if there are.
    """

    node: str
    event: str
    samples: Count = 0
    recording: str | None = None
    unavailable: str | None = None
    functions: tuple[LocatedFunction, ...] = ()


class ProfileResult(Document, frozen=True, kw_only=True, tag="stallscope.profile/1"):
    """A CPU profile. Shares are 0..1 of the weight sampled; None: not known."""

    source: ProfileSource
    title: str
    duration_s: Amount | None
    samples: Count
    lost: Count | None  # None: not known, as of a file of another tool
    unknown_share: Amount | None
    truncated_share: Amount | None
    stacks: StacksResult
    python: PythonResult | None
    runtimes: tuple[RuntimeResult, ...]
    counted: CountedResult | None
    functions: tuple[ProfileFunction, ...]
    threads: tuple[ProfileThread, ...]
    warnings: tuple[ProfileWarningText, ...]
    recording: str
    report: str | None
    periods: tuple[DifferingPeriod, ...] = ()
    wakers: tuple[WakerTime, ...] | UnsetType = UNSET  # set if the weight is off-CPU time
    idle_pools: tuple[ProfileIdlePool, ...] | UnsetType = UNSET
    located: tuple[LocatedEvent, ...] | UnsetType = UNSET
    lines: tuple[SourceLine, ...] | UnsetType = UNSET  # set with --lines, most samples first
    modules: tuple[ProfileModule, ...] | UnsetType = UNSET  # set if they were requested
    functions_omitted: Count | UnsetType = UNSET  # set if not all functions are listed
    threads_omitted: Count | UnsetType = UNSET


def profile_result(
    analysis: "Analysis",
    *,
    recording: Path,
    report: Path | None,
    located: tuple[LocatedEvent, ...] | None = None,
    top: int | None = None,
) -> ProfileResult:
    """Return the result of an analysis.

    ``top``: number of functions and threads to list; None lists all, which names every function.
    """
    profile, ranking = analysis.profile, analysis.ranking
    source = profile.source
    functions, threads = ranking.functions[:top], ranking.threads[:top]
    return ProfileResult(
        source=ProfileSource(
            event=source.event,
            kind=source.kind,
            unit=source.unit,
            scope=source.scope,
            frequency_hz=source.frequency_hz,
            period=source.period,
        ),
        title=profile.title,
        duration_s=_finite(profile.duration_s),
        samples=profile.samples,
        lost=profile.lost,
        unknown_share=_finite(profile.unknown_share),
        truncated_share=_finite(profile.truncated_share),
        stacks=stacks_result(profile.stack_shares, analysis.stacks),
        python=python_result(analysis.python),
        runtimes=runtime_results(analysis),
        counted=_counted_result(analysis, profile.functions) if top is None else None,
        functions=tuple(_function(profile, row, ranking.value) for row in functions),
        threads=tuple(_thread(profile, row, ranking.value) for row in threads),
        warnings=tuple(
            ProfileWarningText(warning.code, warning.message) for warning in profile.warnings
        ),
        recording=str(recording),
        report=None if report is None else str(report),
        periods=differing_periods(analysis),
        wakers=UNSET if analysis.off_cpu is None else waker_times(analysis.off_cpu),
        idle_pools=UNSET if analysis.off_cpu is None else profile_idle_pools(analysis.off_cpu),
        modules=UNSET if analysis.modules is None else module_results(analysis.modules, top),
        located=UNSET if located is None else located,
        lines=lines_of_profile(analysis) or UNSET,
        functions_omitted=len(ranking.functions) - len(functions) or UNSET,
        threads_omitted=len(ranking.threads) - len(threads) or UNSET,
    )


def _counted_result(analysis: "Analysis", functions: Sequence[Function]) -> CountedResult | None:
    if analysis.slots is None:
        return None
    from harness.profile.counted import counted_result  # noqa: PLC0415 - only with counters

    return counted_result(analysis.slots, functions)


def _function(profile: Profile, row: "RankedFunction", whole: int) -> ProfileFunction:
    function = profile.functions[row.index]
    lines = tuple(LineSamples(line, samples) for line, samples in function.lines)
    return ProfileFunction(
        name=function.name,
        module=function.module,
        kind=function.kind.name.lower(),
        self_share=_share(row.self_value, whole),
        total_share=_share(row.total_value, whole),
        self_samples=row.self_samples,
        lines=lines or UNSET,
    )


def _thread(profile: Profile, row: "RankedThread", whole: int) -> ProfileThread:
    thread = profile.threads[row.index]
    return ProfileThread(
        pid=thread.pid,
        tid=thread.tid,
        process=thread.process_name,
        name=thread.thread_name,
        share=_share(row.value, whole),
        samples=row.samples,
        value=row.value,
    )


def stacks_result(shares: "StackShares", recorded: "StackRecording | None") -> StacksResult:
    """Return how stacks were recorded (None: not known), and the shares of complete stacks."""
    return StacksResult(
        requested=recorded.requested if recorded is not None else None,
        chosen=recorded.chosen if recorded is not None else None,
        copy_bytes=recorded.copy_bytes if recorded is not None else None,
        why=recorded.why if recorded is not None else None,
        complete_share=_finite(shares.complete),
        truncated_share=_finite(shares.truncated),
        cut_share=_finite(shares.cut_by_copy),
        reasons=tuple(TruncationReason(reason, share) for reason, share in shares.reasons),
    )


def python_result(shares: "PythonShares | None") -> PythonResult | None:
    """Return the shares of Python samples, None without an interpreter."""
    if shares is None or not (shares.samples or shares.trampolined):
        return None
    return PythonResult(
        versions=tuple(shares.versions),
        samples=shares.samples,
        framed_share=_finite(shares.share(shares.framed)),
        native_share=_finite(shares.share(shares.native)),
        moved_on_share=_finite(shares.share(shares.moved_on)),
        unread_share=_finite(shares.share(shares.unread)),
        gil_held_share=_finite(shares.gil_share),
        torn_reads=shares.torn,
        late_reads=shares.late,
        trampolined_processes=shares.trampolined,
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
