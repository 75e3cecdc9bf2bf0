"""What slow requests do more than median ones, in order of the latency that it explains.

A state stands out if slow requests spend more time in it than chance explains, and more than they
would if all parts of a request were longer in proportion. The rule is shown with the result.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.requests.latency_classes import LatencyClasses
from topdown.requests.mean_differences import MeanDifference, mean_differences
from topdown.requests.places import (
    ClassCoverage,
    Place,
    StackTimes,
    main_place,
    run_times,
    wait_times,
)
from topdown.requests.span_states import AWAY, Coverage, TimeAxis
from topdown.requests.spans import Requests
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState

RUNNING, SUSPENDED = "running", "suspended"
LEAST_SHARE = 0.1  # of the additional latency
LEAST_EXCESS = 0.15  # of that share over the share of the same place in median requests
RULE = (
    "a state stands out if the interval of its difference excludes 0, and if its share of the "
    f"additional latency is at least {100 * LEAST_SHARE:.0f} % and by {100 * LEAST_EXCESS:.0f} "
    "points larger than the share of the same place in median requests"
)


@dataclass(frozen=True, slots=True)
class RequestExplanation:
    """A state's mean time per request in both classes. ``share``: of the additional latency."""

    state: str
    times: MeanDifference  # nanoseconds
    share: float
    place: Place
    stands_out: bool


@dataclass(frozen=True, slots=True)
class ClassPair:
    """The coverage by both classes."""

    slow: ClassCoverage
    median: ClassCoverage

    @staticmethod
    def of(records: WaitRecords, requests: Requests, classes: LatencyClasses) -> "ClassPair":
        """Return the coverage of a recording by the classes of its requests."""
        axis = TimeAxis.of(records)
        slow, median = (
            ClassCoverage(Coverage.of(axis, requests.segments, chosen), int(chosen.sum()))
            for chosen in (classes.slow, classes.median)
        )
        return ClassPair(slow, median)


def state_name(column: int) -> str:
    """Return the name of a column of the states of requests."""
    if column == AWAY:
        return SUSPENDED
    return RUNNING if column == ThreadState.USER else ThreadState(column).key


def explain(
    requests: Requests,
    states: npt.NDArray[np.int64],
    classes: LatencyClasses,
    records: WaitRecords,
    intervals: Intervals,
    names: StackNames,
) -> tuple[MeanDifference, list[RequestExplanation]]:
    """Return the latency of both classes, and the states by what they explain of the difference.

    ``states``: of `request_states`. Both classes must have requests.
    """
    places = _Places(
        requests, classes, records, intervals, names, ClassPair.of(records, requests, classes)
    )
    values = np.concatenate([requests.wall_ns[:, None], states], axis=1)
    wall, *rows = mean_differences(values, classes.slow, classes.median)
    explanations = []
    for column, times in enumerate(rows):
        if times.slow <= 0 and times.median <= 0:
            continue
        explanations.append(_explanation(column, times, wall, places.of(column, times)))
    explanations.sort(key=lambda row: -row.times.difference)
    return wall, explanations


def _explanation(
    column: int, times: MeanDifference, wall: MeanDifference, place: Place
) -> RequestExplanation:
    share = times.difference / wall.difference if wall.difference > 0 else 0.0
    usual = (place.median_ns if place.chain else times.median) / max(1.0, wall.median)
    return RequestExplanation(
        state=state_name(column),
        times=times,
        share=share,
        place=place,
        stands_out=times.low > 0 and share >= LEAST_SHARE and share >= usual + LEAST_EXCESS,
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where requests spend the time of a state."""

    requests: Requests
    classes: LatencyClasses
    records: WaitRecords
    intervals: Intervals
    names: StackNames
    pair: ClassPair

    def of(self, column: int, times: MeanDifference) -> Place:
        """Return the place of a state; the time of sampled code is scaled to the measured time."""
        if column == AWAY:
            return _reason(self.requests, self.classes)
        if column == ThreadState.USER:
            sampled = run_times(self.records, self.pair.slow, self.pair.median)
            return main_place(_scaled(sampled, times), self.names)
        state = ThreadState(column)
        if state in (ThreadState.RUN_QUEUE, ThreadState.UNKNOWN):
            return Place((), times.slow, times.median)
        waits = wait_times(self.records, self.intervals, state, self.pair.slow, self.pair.median)
        return main_place(waits, self.names)


def _scaled(sampled: StackTimes, times: MeanDifference) -> StackTimes:
    slow, median = float(sampled.slow_ns.sum()), float(sampled.median_ns.sum())
    return StackTimes(
        sampled.stack,
        sampled.slow_ns * (times.slow / slow if slow else 0.0),
        sampled.median_ns * (times.median / median if median else 0.0),
    )


def _reason(requests: Requests, classes: LatencyClasses) -> Place:
    """Return the reason of suspension that slow requests have most in excess."""
    slow, median = (_pause_means(requests, chosen) for chosen in (classes.slow, classes.median))
    first = int(np.argmax(slow - median))
    name = requests.names[first]
    return Place((name,) if name else (), float(slow[first]), float(median[first]))


def _pause_means(requests: Requests, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the mean time away of the chosen requests by reason, (n_names,)."""
    pauses = requests.pauses
    weights = pauses.duration_ns * chosen[pauses.request]
    sums = np.bincount(pauses.name, weights, minlength=len(requests.names))
    return np.asarray(sums / max(1, int(chosen.sum())))
