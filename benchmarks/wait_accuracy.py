"""Accuracy of switch records and of lock owners in an analysis of waits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.waits.analysis import WaitAnalysis
from topdown.waits.futex_waits import futex_waits
from topdown.waits.owners import LONG_WAIT_NS, NO_OWNER, wait_owners
from topdown.waits.records import NO_STACK
from topdown.waits.schedstat import read_schedstat
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.timeline import build_intervals

MIN_RUN_NS = 10_000_000  # below, the resolution of readings is a large share
_Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SchedstatErrors:
    """Largest errors of a thread: run time as share of its run time, queue time of its wall time.

    ``run`` and ``queue``: of the records against schedstat. ``run_change`` and ``queue_change``: by
    how much the analysis changes them, so that they are those of schedstat.
    """

    run: float
    queue: float
    run_change: float
    queue_change: float


def schedstat_errors(analysis: WaitAnalysis) -> SchedstatErrors | None:
    """Return the errors; None if switches were recorded in windows, or schedstat was not read."""
    records = analysis.records
    schedstat = read_schedstat(records)
    known = schedstat.run_ns >= 0
    if records.limited_from_ns is not None or not known.any():
        return None

    def times(intervals: Intervals) -> tuple[_Integers, _Integers]:
        run = schedstat.recorded(intervals, ThreadState.USER)
        queue = schedstat.ended(intervals, ThreadState.RUN_QUEUE)
        return run, queue + schedstat.ended(intervals, ThreadState.THROTTLED)

    run, queue = times(build_intervals(records, fit=False))
    fitted_run, fitted_queue = times(analysis.kinds.intervals)
    wall = np.maximum(schedstat.end_ns.astype(np.int64) - schedstat.begin_ns.astype(np.int64), 1)
    run_wall = np.maximum(schedstat.run_ns, 1)
    long_run = known & (schedstat.run_ns >= MIN_RUN_NS)
    return SchedstatErrors(
        run=_largest((run - schedstat.run_ns) / run_wall, long_run),
        queue=_largest((queue - schedstat.queue_ns) / wall, known),
        run_change=_largest((fitted_run - run) / run_wall, long_run),
        queue_change=_largest((fitted_queue - queue) / wall, known),
    )


def _largest(errors: npt.NDArray[np.float64], chosen: npt.NDArray[np.bool_]) -> float:
    return float(np.abs(errors[chosen]).max(initial=0.0))


@dataclass(frozen=True, slots=True)
class NamedWaits:
    """Shares of the waits for locks over 1 ms by owner; ``with_stack``: of those with the right."""

    right: float
    wrong: float
    with_stack: float


def named_waits(analysis: WaitAnalysis, owner: str) -> NamedWaits | None:
    """Return the shares for a program with one owner; None without such waits.

    Waits of the owner itself are left out.
    """
    records, intervals = analysis.records, analysis.kinds.intervals
    waits = futex_waits(records, intervals, analysis.names, analysis.calls)
    is_owner = np.array([thread.name == owner for thread in records.threads], np.bool_)
    long = waits.is_lock & (waits.duration_ns > LONG_WAIT_NS) & ~is_owner[waits.thread]
    if not long.any():
        return None
    owners = wait_owners(records, intervals, waits)
    named = long & (owners.owner != NO_OWNER)
    right = named & is_owner[np.maximum(owners.owner, 0)]
    with_stack = right & (owners.stack != NO_STACK)
    return NamedWaits(
        right=float(right.sum() / long.sum()),
        wrong=float((named & ~right).sum() / long.sum()),
        with_stack=float(with_stack.sum() / max(1, right.sum())),
    )
