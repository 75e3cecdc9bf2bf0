import numpy as np

from topdown.waits.lost_states import StateParts, with_unknown_states
from topdown.waits.records import NO_ROW, LostRecords
from topdown.waits.states import ThreadState

RUN, WAIT, UNKNOWN = ThreadState.USER, ThreadState.OTHER, ThreadState.UNKNOWN
MOVED = np.zeros(1, np.bool_)


def parts(rows: list[tuple[int, int, int, int]], cpu: int = -1) -> StateParts:
    """Return intervals (begin, end, state, state after) of one thread."""
    count = len(rows)
    none = np.full(count, NO_ROW, np.uint32)
    begin, end, state, after = (list(column) for column in zip(*rows, strict=True))
    return StateParts(
        np.zeros(count, np.uint32),
        np.array(begin, np.uint64),
        np.array(end, np.uint64),
        np.array(state, np.uint8),
        none,
        none,
        np.full(count, cpu, np.int32),
        np.array(after, np.uint8),
    )


def state_runs(result: StateParts) -> list[tuple[int, int, int]]:
    return list(
        zip(result.begin_ns.tolist(), result.end_ns.tolist(), result.state.tolist(), strict=True)
    )


def test_an_interval_is_divided_by_a_loss() -> None:
    lost = [LostRecords(20, 30, -1, 4)]
    divided = with_unknown_states(parts([(0, 100, WAIT, WAIT), (100, 110, RUN, RUN)]), lost, MOVED)
    assert state_runs(divided) == [
        (0, 20, WAIT),
        (20, 30, UNKNOWN),
        (30, 100, WAIT),
        (100, 110, RUN),
    ]


def test_several_losses_are_one_unknown_period_of_an_interval() -> None:
    lost = [LostRecords(20, 30, -1, 4), LostRecords(25, 40, -1, 4), LostRecords(60, 70, 1, 4)]
    divided = with_unknown_states(parts([(0, 100, WAIT, RUN)]), lost, MOVED)
    assert state_runs(divided) == [(0, 20, WAIT), (20, 70, UNKNOWN), (70, 100, RUN)]


def test_a_loss_over_a_whole_interval_leaves_no_known_part() -> None:
    divided = with_unknown_states(
        parts([(40, 50, WAIT, WAIT)]), [LostRecords(20, 90, -1, 4)], MOVED
    )
    assert state_runs(divided) == [(40, 50, UNKNOWN)]


def test_threads_that_did_not_run_and_other_cpus_are_not_affected() -> None:
    lost = [LostRecords(20, 30, 0, 9)]
    rows = [(0, 100, RUN, RUN)]
    assert state_runs(with_unknown_states(parts(rows), lost, ~MOVED)) == [(0, 100, RUN)]
    assert state_runs(with_unknown_states(parts(rows, cpu=1), lost, MOVED)) == [(0, 100, RUN)]
    assert len(state_runs(with_unknown_states(parts(rows, cpu=0), lost, MOVED))) == 3


def test_a_loss_without_length_counts() -> None:
    divided = with_unknown_states(parts([(0, 100, WAIT, RUN)]), [LostRecords(20, 20, -1, 2)], MOVED)
    assert state_runs(divided)[1] == (20, 21, UNKNOWN)


def test_an_unknown_number_of_lost_records_may_hide_changes() -> None:
    lost = [LostRecords(20, 30, -1, 0)]
    divided = with_unknown_states(parts([(0, 100, WAIT, WAIT)]), lost, MOVED)
    assert state_runs(divided) == [(0, 20, WAIT), (20, 30, UNKNOWN), (30, 100, WAIT)]
