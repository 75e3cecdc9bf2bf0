"""Time in each state over the steps of a timeline."""

import numpy as np
import numpy.typing as npt

from topdown.waits.states import Intervals, ThreadState


def state_steps(
    intervals: Intervals, thread: int, edges_ns: npt.NDArray[np.uint64]
) -> npt.NDArray[np.float64]:
    """Return a thread's time by state and step, (n_states, n_steps), in nanoseconds.

    ``edges_ns`` (n_steps + 1,) are the ends of the steps, ascending.
    """
    first, last = np.searchsorted(intervals.thread, [thread, thread + 1])
    state = intervals.state[first:last]
    start = edges_ns[0]
    begin = intervals.begin_ns[first:last].astype(np.float64) - float(start)
    end = intervals.end_ns[first:last].astype(np.float64) - float(start)
    edges = (edges_ns - start).astype(np.float64)
    result = np.zeros((len(ThreadState), len(edges) - 1))
    for number in np.unique(state).tolist():
        rows = state == number
        # The time in the state grows between begin and end of its intervals, and not elsewhere.
        times = np.column_stack([begin[rows], end[rows]]).reshape(-1)
        grown = np.repeat(np.cumsum(end[rows] - begin[rows]), 2)
        grown[::2] = np.append(0.0, grown[1:-1:2])
        result[number] = np.diff(np.interp(edges, times, grown))
    return result


def dominant_states(steps: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the state with most time in each step, -1 if the thread did not live."""
    return np.where(steps.sum(axis=0) > 0, steps.argmax(axis=0), -1)
