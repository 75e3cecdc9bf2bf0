import numpy as np

from tests.topdown.waits.wait_records_builder import MILLISECOND, build_records
from topdown.waits.state_timeline import dominant_states, state_steps
from topdown.waits.states import ThreadState
from topdown.waits.timeline import build_intervals


def test_time_is_divided_at_the_edges_of_steps() -> None:
    intervals = build_intervals(build_records("A R0-12 Q12-20 R20-30 W(?)30-40\nB R0-40").records)
    edges = np.arange(0, 50, 10, dtype=np.uint64) * MILLISECOND
    steps = state_steps(intervals, 0, edges) / MILLISECOND
    assert steps[ThreadState.USER].tolist() == [10, 2, 10, 0]
    assert steps[ThreadState.RUN_QUEUE].tolist() == [0, 8, 0, 0]
    assert steps[ThreadState.OTHER].tolist() == [0, 0, 0, 10]
    assert dominant_states(steps).tolist() == [
        ThreadState.USER,
        ThreadState.RUN_QUEUE,
        ThreadState.USER,
        ThreadState.OTHER,
    ]


def test_a_step_in_which_a_thread_did_not_live_has_no_state() -> None:
    intervals = build_intervals(build_records("A R0-10 X10\nB R0-40").records)
    edges = np.array([0, 20, 40], np.uint64) * MILLISECOND
    assert dominant_states(state_steps(intervals, 0, edges)).tolist() == [ThreadState.USER, -1]
