"""Time of requests by state: the intervals of threads, cut by the spans of requests.

All functions place the threads' times one behind the other on a single axis, so that sums over any
span are differences of running sums, without loops over requests or threads.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topdown.requests.spans import Requests, Segments
from topdown.waits.records import NO_THREAD, WaitRecords
from topdown.waits.states import Intervals, ThreadState

STATES = len(ThreadState)
AWAY = STATES  # column of the time in which no thread works on a request
Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The times of all threads on one axis."""

    begin_ns: int
    length_ns: int  # of a thread

    @staticmethod
    def of(records: WaitRecords) -> "TimeAxis":
        """Return the axis of a recording."""
        return TimeAxis(records.begin_ns, records.end_ns - records.begin_ns + 2)

    def place(self, thread: npt.NDArray[np.generic], time_ns: npt.NDArray[np.generic]) -> Times:
        """Return the places of times of threads."""
        since = time_ns.astype(np.int64) - self.begin_ns
        return thread.astype(np.int64) * self.length_ns + np.clip(since, 0, self.length_ns - 1)


def request_states(
    requests: Requests, intervals: Intervals, records: WaitRecords
) -> npt.NDArray[np.int64]:
    """Return nanoseconds by request and state, (n_requests, STATES + 1).

    A row adds up to the wall time of the request. Running is in the column USER. Time of threads
    without records is unknown. The last column is the time away.
    """
    axis = TimeAxis.of(records)
    segments = requests.segments.on_recorded_threads()
    begin = axis.place(segments.thread, segments.begin_ns)
    end = axis.place(segments.thread, segments.end_ns)
    start = axis.place(intervals.thread, intervals.begin_ns)
    length = intervals.duration_ns
    amounts = np.zeros((len(requests), STATES + 1), np.int64)
    first = _place_in(start, length, begin)
    last = _place_in(start, length, end)
    for state in range(STATES):
        of_state = intervals.state == state
        if not of_state.any():
            continue
        sums = np.append(0, np.cumsum(np.where(of_state, length, 0)))
        within = _sum_to(last, sums, of_state) - _sum_to(first, sums, of_state)
        amounts[:, state] = np.rint(np.bincount(segments.request, within, minlength=len(requests)))
    away = np.bincount(
        requests.pauses.request, requests.pauses.duration_ns, minlength=len(requests)
    )
    amounts[:, AWAY] = np.rint(away)
    amounts[:, ThreadState.UNKNOWN] += np.maximum(requests.wall_ns - amounts.sum(axis=1), 0)
    return amounts


def _place_in(start: Times, length: Times, place: Times) -> tuple[Times, Times]:
    """Return the interval at or before each place, -1 for none, and the time since its begin."""
    row = np.searchsorted(start, place, side="right") - 1
    if not len(start):
        return row, np.zeros(len(row), np.int64)
    inside = np.minimum(place - start[row], length[row])
    return row, np.where(row >= 0, inside, 0)


def _sum_to(at: tuple[Times, Times], sums: Times, of_state: npt.NDArray[np.bool_]) -> Times:
    row, inside = at
    if not len(of_state):
        return np.zeros(len(row), np.int64)
    part = np.where((row >= 0) & of_state[row], inside, 0)
    return sums[np.maximum(row, 0)] + part


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of some requests are open at a place of the axis."""

    axis: TimeAxis
    begin: Times  # sorted
    end: Times  # sorted
    begin_sums: Times
    end_sums: Times

    @staticmethod
    def of(axis: TimeAxis, segments: Segments, chosen: npt.NDArray[np.bool_]) -> "Coverage":
        """Return the coverage by the ``chosen`` requests (n_requests,)."""
        rows = chosen[segments.request] & (segments.thread != NO_THREAD)
        begin = np.sort(axis.place(segments.thread[rows], segments.begin_ns[rows]))
        end = np.sort(axis.place(segments.thread[rows], segments.end_ns[rows]))
        return Coverage(
            axis,
            begin,
            end,
            np.append(0, np.cumsum(begin)),
            np.append(0, np.cumsum(end)),
        )

    def at(self, thread: npt.NDArray[np.generic], time_ns: npt.NDArray[np.generic]) -> Times:
        """Return the number of open requests at times of threads."""
        place = self.axis.place(thread, time_ns)
        opened = np.searchsorted(self.begin, place, side="right")
        return np.asarray(opened - np.searchsorted(self.end, place, side="right"), np.int64)

    def during(
        self,
        thread: npt.NDArray[np.generic],
        begin_ns: npt.NDArray[np.generic],
        end_ns: npt.NDArray[np.generic],
    ) -> Times:
        """Return the time of requests within spans of threads: overlapping requests add up."""
        return self._integral(self.axis.place(thread, end_ns)) - self._integral(
            self.axis.place(thread, begin_ns)
        )

    def _integral(self, place: Times) -> Times:
        opened = np.searchsorted(self.begin, place, side="right")
        closed = np.searchsorted(self.end, place, side="right")
        return (opened - closed) * place - self.begin_sums[opened] + self.end_sums[closed]
