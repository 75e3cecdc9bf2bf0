"""A period of a recording of waits: the same analysis of the intervals inside it."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from harness.profile.period import Period
from harness.waits.analysis import WaitAnalysis
from stallscope.errors import UsageError
from topdown.waits.groups import thread_groups
from topdown.waits.idle_pools import idle_threads
from topdown.waits.records import WaitRecords
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.thread_states import STATES, ThreadTotals, thread_totals
from topdown.waits.wait_kinds import WaitKinds

# States that only totals tell apart: they share the intervals of the first state.
_PARTS = (
    (ThreadState.USER, ThreadState.SYSTEM, ThreadState.STOLEN),
    (ThreadState.RUN_QUEUE, ThreadState.THROTTLED),
)
_Amounts = npt.NDArray[np.int64]


def analysis_within(analysis: WaitAnalysis, period: Period) -> WaitAnalysis:
    """Return the analysis of a period, in seconds since the begin of the recording.

    Raises UsageError for a period outside of the recording.
    """
    records = analysis.records
    length_s = (records.end_ns - records.begin_ns) / 1e9
    if period.begin_s >= length_s:
        raise UsageError(
            f"the recording ends at {length_s:.3f} s, before the period", "name an earlier period"
        )
    idle = analysis.idle
    if idle is None:
        idle = idle_threads(records, analysis.kinds.intervals)
    begin_ns = records.begin_ns + round(period.begin_s * 1e9)
    end_ns = min(records.end_ns, records.begin_ns + round(period.end_s * 1e9))
    return within(analysis, begin_ns, max(end_ns, begin_ns + 1), idle)


def within(
    analysis: WaitAnalysis, begin_ns: int, end_ns: int, idle: npt.NDArray[np.bool_]
) -> WaitAnalysis:
    """Return the analysis from ``begin_ns`` to ``end_ns``; ``idle`` (n_threads,)."""
    whole = analysis.kinds.intervals
    rows = np.flatnonzero((whole.end_ns > begin_ns) & (whole.begin_ns < end_ns))
    intervals = Intervals(
        whole.thread[rows],
        np.maximum(whole.begin_ns[rows], np.uint64(begin_ns)),
        np.minimum(whole.end_ns[rows], np.uint64(end_ns)),
        whole.state[rows],
        whole.sample[rows],
        whole.wake_up[rows],
    )
    kinds = WaitKinds(intervals, analysis.kinds.evidence[rows])
    limited_ns = analysis.records.limited_from_ns
    if limited_ns is None or limited_ns >= end_ns:
        totals = _totals(analysis.totals, intervals)
    else:
        totals = thread_totals(
            _as_recording(analysis.records, begin_ns, end_ns),
            kinds,
            analysis.names,
            kernel_sampled=analysis.totals.kernel_sampled,
        )
    lived = np.flatnonzero(totals.wall_ns > 0).tolist()
    return replace(
        analysis,
        records=_records(analysis.records, begin_ns, end_ns),
        kinds=kinds,
        totals=totals,
        groups=tuple(thread_groups(analysis.records.threads, lived)),
        period_ns=(begin_ns, end_ns),
        continues=whole.end_ns[rows] > end_ns,
        idle=idle,
    )


def _records(records: WaitRecords, begin_ns: int, end_ns: int) -> WaitRecords:
    """Return the records with the samples, readings and kernel locks of a period.

    Switches and wake-ups stay: intervals refer to them by number.
    """
    samples, contention = records.cpu_samples, records.contention
    in_period = (samples.time_ns >= begin_ns) & (samples.time_ns < end_ns)
    if contention is not None:
        inside = (contention.time_ns >= begin_ns) & (contention.time_ns < end_ns)
        contention = replace(
            contention,
            **{name: getattr(contention, name)[inside] for name in contention.__dataclass_fields__},
        )
    return replace(
        records,
        cpu_samples=replace(
            samples,
            **{name: getattr(samples, name)[in_period] for name in samples.__dataclass_fields__},
        ),
        contention=contention,
        owners=tuple(row for row in records.owners if begin_ns <= row.at_ns < end_ns),
    )


def _as_recording(records: WaitRecords, begin_ns: int, end_ns: int) -> WaitRecords:
    """Return the records of a period with random windows, whose times they estimate."""
    assert records.limited_from_ns is not None
    windows = np.clip(records.windows, np.uint64(begin_ns), np.uint64(end_ns))
    return replace(
        _records(records, begin_ns, end_ns),
        begin_ns=begin_ns,
        end_ns=end_ns,
        limited_from_ns=max(begin_ns, records.limited_from_ns),
        windows=windows[windows[:, 1] > windows[:, 0]],
        readings=tuple(row for row in records.readings if begin_ns <= row.at_ns <= end_ns),
    )


def _totals(whole: ThreadTotals, intervals: Intervals) -> ThreadTotals:
    """Return the time by state in the intervals.

    What the intervals do not tell apart is divided as in the whole recording, by thread.
    """
    count = len(whole.amounts)
    keys = intervals.thread.astype(np.int64) * STATES + intervals.state
    sums = np.bincount(keys, intervals.duration_ns, minlength=count * STATES)
    amounts = sums.reshape(count, STATES)
    for states in _PARTS:
        parts = whole.amounts[:, list(states)].astype(np.float64)
        total = parts.sum(axis=1, keepdims=True)
        first = np.zeros_like(parts)
        first[:, 0] = 1
        shares = np.divide(parts, total, out=first, where=total > 0)
        amounts[:, list(states)] = shares * amounts[:, list(states)].sum(axis=1, keepdims=True)
    rounded = np.rint(amounts).astype(np.int64)
    nothing = (None,) * count
    sources = {
        state: {_main_source(whole, state): int(rounded[:, state].sum())}
        for state in ThreadState
        if rounded[:, state].any() and whole.sources.get(state)
    }
    return ThreadTotals(
        rounded,
        nothing,
        nothing,
        sources,
        whole.kernel_sampled,
        measured_run_ns=nothing,
        measured_queue_ns=nothing,
    )


def _main_source(totals: ThreadTotals, state: ThreadState) -> str:
    sources = totals.sources[state]
    return max(sources, key=lambda source: sources[source])
