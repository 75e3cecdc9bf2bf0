"""Wall time as the weight of samples.

A CPU sample weighs its period divided by the number of the target's threads that run at its time,
as with perf's --latency (Linux 6.15): two threads that run beside each other share the time. While
no thread of the target runs, time belongs to the thread that runs next, at the stack with which it
left its CPU; after the last run it belongs to the thread that ran last. The weights add up to the
wall time.

The sampled part is scaled to the time in which at least one thread ran, which the switches give
exactly; the factor corrects the error of sampling and is reported.

Cost: 0.2 us per interval and sample.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.waits.records import NO_ROW, NO_THREAD, Indices, WaitRecords
from topdown.waits.states import RUNNING_STATES, Intervals

Nanoseconds = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WallWeights:
    """Wall time by sample, in nanoseconds; all parts add up to ``wall_ns``.

    ``cpu`` (n_cpu_samples,) and ``switch`` (n_switch_samples,): time at the samples' stacks.
    ``other_thread`` and ``other_ns``: time of threads at no recorded stack.
    ``idle_ns``: time in which no thread ran. ``scale``: factor from the weights of CPU samples to
    the time in which threads ran; NaN without samples.
    """

    cpu: Nanoseconds
    switch: Nanoseconds
    other_thread: Indices
    other_ns: Nanoseconds
    wall_ns: int
    idle_ns: int
    scale: float


@dataclass(frozen=True, slots=True)
class IdleTime:
    """Periods in which no thread runs: thread that runs next, and the row of its switch sample."""

    duration_ns: Nanoseconds
    thread: Indices
    sample: Indices  # NO_ROW: its stack is not recorded


def wall_weights(records: WaitRecords, intervals: Intervals) -> WallWeights:
    """Return the weights of the records' samples."""
    wall_ns = records.end_ns - records.begin_ns
    runs = np.flatnonzero(np.isin(intervals.state, RUNNING_STATES))
    idle = idle_time(records, intervals, runs)
    idle_ns = int(idle.duration_ns.sum())
    shares = _shared_periods(records, intervals, runs)
    total = float(shares.sum())
    busy_ns = wall_ns - idle_ns
    scale = busy_ns / total if total > 0 else float("nan")
    cpu = _rounded(shares * scale) if total > 0 else np.zeros(len(shares), np.int64)
    switch = np.zeros(len(records.switch_samples.time_ns), np.int64)
    placed = idle.sample != NO_ROW
    np.add.at(switch, idle.sample[placed], idle.duration_ns[placed])
    other_thread, other_ns = idle.thread[~placed], idle.duration_ns[~placed]
    if total <= 0 and busy_ns > 0:
        other_thread, other_ns = _with_runs(intervals, runs, busy_ns, other_thread, other_ns)
    return WallWeights(cpu, switch, other_thread, other_ns, wall_ns, idle_ns, scale)


def running_threads(
    intervals: Intervals, runs: npt.NDArray[np.intp], time_ns: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """Return the number of threads that run at each time; ``runs``: the intervals that run."""
    begins = np.sort(intervals.begin_ns[runs])
    ends = np.sort(intervals.end_ns[runs])
    started = np.searchsorted(begins, time_ns, side="right")
    return np.asarray(started - np.searchsorted(ends, time_ns, side="right"), np.int64)


def idle_time(records: WaitRecords, intervals: Intervals, runs: npt.NDArray[np.intp]) -> IdleTime:
    """Return the periods of the recording in which no thread of the target runs."""
    if not len(runs):
        return _all_idle(records, intervals)
    order = runs[np.argsort(intervals.begin_ns[runs], kind="stable")]
    begin = intervals.begin_ns[order].astype(np.int64)
    end = intervals.end_ns[order].astype(np.int64)
    latest = np.maximum.accumulate(end)
    gaps = begin - np.append(np.int64(records.begin_ns), latest[:-1])
    rows = np.flatnonzero(gaps > 0)
    duration, thread = gaps[rows], intervals.thread[order[rows]]
    sample = _stacks_before(intervals, order[rows])
    rest = records.end_ns - int(latest[-1])
    if rest > 0:
        last = int(order[np.argmax(end)])
        duration = np.append(duration, rest)
        thread = np.append(thread, intervals.thread[last])
        sample = np.append(sample, _stack_after(intervals, last))
    return IdleTime(duration, thread.astype(np.uint32), sample.astype(np.uint32))


def _all_idle(records: WaitRecords, intervals: Intervals) -> IdleTime:
    """Return the whole recording as the time of the first thread with a known stack."""
    wall_ns = records.end_ns - records.begin_ns
    with_sample = np.flatnonzero(intervals.sample != NO_ROW)
    place = int(with_sample[0]) if len(with_sample) else 0
    thread = intervals.thread[place] if len(intervals.thread) else NO_THREAD
    sample = intervals.sample[place] if len(with_sample) else NO_ROW
    return IdleTime(
        np.array([wall_ns] if wall_ns > 0 else [], np.int64),
        np.array([thread] if wall_ns > 0 else [], np.uint32),
        np.array([sample] if wall_ns > 0 else [], np.uint32),
    )


def _stacks_before(intervals: Intervals, runs: npt.NDArray[np.intp]) -> Indices:
    """Return the switch sample with which each run's thread left its CPU before, or NO_ROW.

    A wait is one interval, or two if its wake-up is recorded: the wait and the run queue.
    """
    sample = np.full(len(runs), NO_ROW, np.uint32)
    for distance in (1, 2):
        before = np.maximum(runs - distance, 0)
        same = (runs >= distance) & (intervals.thread[before] == intervals.thread[runs])
        same &= ~np.isin(intervals.state[before], RUNNING_STATES)
        if distance == 2:
            same &= ~np.isin(intervals.state[np.maximum(runs - 1, 0)], RUNNING_STATES)
        unknown = same & (sample == NO_ROW)
        sample[unknown] = intervals.sample[before[unknown]]
    return sample


def _stack_after(intervals: Intervals, run: int) -> int:
    """Return the switch sample with which a thread left its CPU after a run, or NO_ROW."""
    after = run + 1
    if after < len(intervals.thread) and intervals.thread[after] == intervals.thread[run]:
        return int(intervals.sample[after])
    return NO_ROW


def _shared_periods(
    records: WaitRecords, intervals: Intervals, runs: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Return the periods of the CPU samples divided by the number of running threads.

    That number is at least 1, as the sampled thread runs, and at most the number of CPUs.
    """
    samples = records.cpu_samples
    running = running_threads(intervals, runs, samples.time_ns)
    period = samples.period_ns.astype(np.float64)
    if not period.any():
        period = np.ones(len(period))
    inside = (samples.time_ns >= records.begin_ns) & (samples.time_ns <= records.end_ns)
    is_target = np.array([thread.target for thread in records.threads] or [False], np.bool_)
    inside &= is_target[samples.thread]  # of whole CPUs, idle threads are sampled too
    return np.where(inside, period / np.clip(running, 1, max(1, records.cpus)), 0.0)


def _rounded(values: npt.NDArray[np.float64]) -> Nanoseconds:
    """Return whole numbers with the sum of the values: the rests are carried on."""
    sums = np.rint(np.cumsum(values)).astype(np.int64)
    return np.asarray(sums - np.append(0, sums[:-1]), np.int64)


def _with_runs(
    intervals: Intervals,
    runs: npt.NDArray[np.intp],
    busy_ns: int,
    thread: Indices,
    time_ns: Nanoseconds,
) -> tuple[Indices, Nanoseconds]:
    """Return threads and times with the time of runs, in proportion, if there are no samples."""
    own = intervals.duration_ns[runs]
    sums = np.zeros(int(intervals.thread[runs].max(initial=0)) + 1, np.float64)
    np.add.at(sums, intervals.thread[runs], own)
    members = np.flatnonzero(sums)
    shares = _rounded(sums[members] / max(1.0, float(sums.sum())) * busy_ns)
    return (
        np.concatenate([thread, members]).astype(np.uint32),
        np.concatenate([time_ns, shares]).astype(np.int64),
    )
