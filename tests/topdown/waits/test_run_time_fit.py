"""Intervals whose running time agrees with schedstat."""

from dataclasses import replace

from tests.topdown.waits.wait_records_builder import MILLISECOND, BuiltRecords, build_records
from topdown.waits.records import NO_ROW, Switches, WaitRecords
from topdown.waits.states import ThreadState
from topdown.waits.timeline import build_intervals

SWITCH_COLUMNS = ("time_ns", "thread", "cpu", "kind", "other")


def with_run_time(built: BuiltRecords, run_us: float, thread: int = 0) -> WaitRecords:
    """Return the records with the run time of the last reading of a thread."""
    readings = tuple(
        replace(row, run_ns=round(run_us * 1000)) if row.thread == thread and row.at_ns else row
        for row in built.records.readings
    )
    return replace(built.records, readings=readings)


def milliseconds(records: WaitRecords, state: ThreadState, thread: int = 0) -> float:
    """Return the time of a thread in a state."""
    intervals = build_intervals(records)
    chosen = (intervals.state == state) & (intervals.thread == thread)
    return float(intervals.duration_ns[chosen].sum() / MILLISECOND)


def test_the_search_for_another_thread_belongs_to_the_wait_before_which_it_happens() -> None:
    built = build_records("A R0-10 W(?)10-20 R20-30 W(?)30-40 R40-50")
    intervals = build_intervals(with_run_time(built, 29_900))
    assert intervals.begin_ns.tolist() == [0, 9_950_000, 20_000_000, 29_950_000, 40_000_000]
    assert intervals.end_ns[:-1].tolist() == intervals.begin_ns[1:].tolist()


def test_run_time_that_ends_at_the_wake_up_of_the_next_thread_is_time_in_the_queue() -> None:
    built = build_records("A R0-10 Q10-20 R20-30 Q30-40 R40-50")
    records = with_run_time(built, 29_990)
    assert milliseconds(records, ThreadState.USER) == 29.99
    assert milliseconds(records, ThreadState.RUN_QUEUE) == 20.01


def test_run_time_that_begins_before_the_switch_is_taken_from_the_time_before() -> None:
    built = build_records("A R0-10 Q10-20 R20-30 Q30-40 R40-50")
    assert milliseconds(with_run_time(built, 30_020), ThreadState.USER) == 30.02


def test_more_than_a_switch_can_need_is_not_moved() -> None:
    built = build_records("A R0-10 W(?)10-20 R20-30 W(?)30-40 R40-50")
    assert milliseconds(with_run_time(built, 25_000), ThreadState.USER) == 29.8


def with_queue_time(records: WaitRecords, queue_us: float, thread: int = 0) -> WaitRecords:
    """Return the records with the queue time of the last reading of a thread."""
    readings = tuple(
        replace(row, queue_ns=round(queue_us * 1000)) if row.thread == thread and row.at_ns else row
        for row in records.readings
    )
    return replace(records, readings=readings)


def test_a_thread_that_is_woken_waits_until_it_is_in_the_queue() -> None:
    text = "A R0-10 W(timer)10-19.9 Q19.9-20 R20-30 W(timer)30-39.9 Q39.9-40 R40-50"
    records = with_queue_time(with_run_time(build_records(text), 30_000), 180)
    assert milliseconds(records, ThreadState.RUN_QUEUE) == 0.18
    assert milliseconds(records, ThreadState.OTHER) == 19.82


def test_a_thread_without_some_wake_ups_has_the_delay_of_the_others() -> None:
    line = "R0-10 W(timer)10-19.9 Q19.9-20 R20-30 W(timer)30-39.9 Q39.9-40 R40-50"
    built = build_records(f"A {line}\nB@1 {line}")
    records = with_queue_time(with_queue_time(built.records, 180), 50_000, thread=1)
    assert milliseconds(records, ThreadState.RUN_QUEUE, thread=1) == 0.18


def test_a_queue_time_that_no_delay_explains_is_not_moved() -> None:
    text = "A R0-10 W(timer)10-15 Q15-20 R20-50"
    records = with_queue_time(with_run_time(build_records(text), 40_000), 0)
    assert milliseconds(records, ThreadState.RUN_QUEUE) == 4.975


def test_a_thread_that_starts_has_neither_run_nor_waited_by_then() -> None:
    built = build_records("A B5 Q5-6 R6-20 W(?)20-40 R40-60")
    assert milliseconds(with_run_time(built, 33_950), ThreadState.USER) == 33.95


def test_threads_without_readings_have_the_mean_of_the_others() -> None:
    text = "A R0-10 W(?)10-50 R50-100\nB R0-10 W(?)10-50 R50-100"
    built = build_records(text)
    records = with_run_time(built, 59_950)
    without = tuple(row for row in records.readings if row.thread == 0)
    assert milliseconds(replace(records, readings=without), ThreadState.USER, 1) == 59.95


def test_a_sleep_in_which_the_thread_ran_by_schedstat_is_unknown() -> None:
    built = build_records("A R0-10 W(?)10-20 R20-30 W(?)30-80 R80-100")
    switches = built.records.switches
    times = switches.time_ns.tolist()
    lost_switch = times.index(20 * MILLISECOND), times.index(30 * MILLISECOND)
    kept = [row for row in range(len(times)) if row not in lost_switch]
    columns = (getattr(switches, name)[kept] for name in SWITCH_COLUMNS)
    records = replace(built.records, switches=Switches(*columns))
    without = replace(built, records=records)
    assert milliseconds(with_run_time(without, 30_000), ThreadState.OTHER) == 70
    known = with_run_time(without, 80_000)
    assert milliseconds(known, ThreadState.OTHER) == 0
    assert milliseconds(known, ThreadState.UNKNOWN) == 69.98  # less a switch


def test_a_wait_that_a_wake_up_ended_is_no_contradiction() -> None:
    built = build_records("A R0-10 W(B)10-80 R80-100\nB@1 R0-100")
    records = with_run_time(built, 80_000)
    assert milliseconds(records, ThreadState.UNKNOWN) == 0
    assert (build_intervals(records).wake_up != NO_ROW).any()
