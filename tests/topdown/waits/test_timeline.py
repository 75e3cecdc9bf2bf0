from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import MILLISECOND, Place, build_records
from topdown.waits.records import NO_ROW, LostRecords, Switches, ThreadReading
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.timeline import build_intervals

SWITCH_COLUMNS = ("time_ns", "thread", "cpu", "kind", "other")
LETTERS = {
    ThreadState.USER: "R",
    ThreadState.OTHER: "W",
    ThreadState.RUN_QUEUE: "Q",
    ThreadState.UNKNOWN: "?",
}


def timeline_text(intervals: Intervals, thread: int = 0) -> str:
    """Return the intervals of a thread as text, in milliseconds."""
    rows = np.flatnonzero(intervals.thread == thread)
    return " ".join(
        f"{LETTERS[ThreadState(intervals.state[row])]}"
        f"{intervals.begin_ns[row] / MILLISECOND:g}-{intervals.end_ns[row] / MILLISECOND:g}"
        for row in rows
    )


def timeline(text: str, thread: int = 0, **options: Any) -> str:
    return timeline_text(build_intervals(build_records(text, **options).records), thread)


@pytest.mark.parametrize(
    "text",
    [
        "R0-10 W10-90 R90-100",
        "R0-10 Q10-20 R20-100",
        "Q0-20 R20-100",
        "R0-5",
        "W0-5",
    ],
)
def test_intervals_are_those_of_the_timeline(text: str) -> None:
    assert timeline(f"A {text}") == text


def test_a_wait_ends_with_the_wake_up_and_the_run_queue_follows() -> None:
    built = build_records("A R0-10 W(B)10-90 Q90-95 R95-100\nB@1 R0-100")
    intervals = build_intervals(built.records)
    assert timeline_text(intervals) == "R0-10 W10-90 Q90-95 R95-100"
    assert timeline_text(intervals, 1) == "R0-100"
    assert intervals.wake_up[:4].tolist() == [NO_ROW, 0, NO_ROW, NO_ROW]


def test_without_wake_ups_a_wait_lasts_until_the_thread_runs() -> None:
    text = "A R0-10 W(B)10-90 Q90-95 R95-100\nB@1 R0-100"
    assert timeline(text, wakers=False) == "R0-10 W10-95 R95-100"


def test_a_thread_that_never_switches_has_the_state_of_its_reading() -> None:
    assert timeline("A R0-50") == "R0-50"
    assert timeline("A W0-50") == "W0-50"
    assert timeline("A W0-50\nB R0-50", readings=False) == ""


def test_without_a_reading_the_state_before_a_switch_in_is_unknown() -> None:
    text = "A W(?)0-10 R10-20"
    assert timeline(text, readings=False) == "?0-10 R10-20"
    assert timeline(text) == "W0-10 R10-20"


def test_a_wake_up_shows_that_a_thread_waited_before_its_first_record() -> None:
    text = "A W(B)0-10 Q10-12 R12-20\nB@1 R0-20"
    assert timeline(text, readings=False) == "W0-10 Q10-12 R12-20"


def test_a_thread_lives_from_its_start_to_its_exit() -> None:
    assert timeline("A B5 Q5-6 R6-9 X9\nB R0-20") == "Q5-6 R6-9"


def test_a_thread_that_exits_without_a_switch_has_run() -> None:
    assert timeline("A R0-9 X9\nB R0-20") == "R0-9"


def test_a_new_process_image_changes_no_state() -> None:
    assert timeline("A R0-5 E4 W5-9 R9-10") == "R0-5 W5-9 R9-10"


def test_states_during_lost_records_are_unknown() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, -1, 5),)
    text = "A R0-10 W(B)10-90 R90-100\nB@1 R0-25 W25-50 R50-100"
    # The wake-up at 90 shows that the thread waited since the last lost record.
    assert timeline(text, lost=lost) == "R0-10 W10-20 ?20-30 W30-90 R90-100"
    # The record at 25 is among lost ones.
    assert timeline(text, 1, lost=lost) == "R0-20 ?20-25 ?25-30 Q30-50 R50-100"


def test_after_lost_records_without_another_record_the_reading_at_the_end_decides() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, -1, 5),)
    assert timeline("A R0-10 W10-90", lost=lost) == "R0-10 W10-20 ?20-30 W30-90"
    assert timeline("A R0-10 W10-90", lost=lost, readings=False) == "R0-10 W10-20 ?20-30 ?30-90"


def test_one_lost_record_does_not_hide_a_change_and_the_change_back() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, -1, 1),)
    assert timeline("A R0-10 W(B)10-90 R90-100\nB@1 R0-100", lost=lost) == "R0-10 W10-90 R90-100"


def test_a_lost_switch_out_is_shown_by_the_wake_up_that_follows() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, -1, 1),)
    records = build_records("A R0-25 W(B)25-90 R90-100\nB@1 R0-100", lost=lost).records
    switches = records.switches
    kept = switches.time_ns != 25 * MILLISECOND
    without = replace(
        records,
        switches=Switches(*(getattr(switches, name)[kept] for name in SWITCH_COLUMNS)),
    )
    assert timeline_text(build_intervals(without)) == "R0-20 ?20-30 W30-90 R90-100"


def test_a_thread_that_did_not_run_lost_nothing() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, -1, 50),)
    assert timeline("A W0-100", lost=lost) == "W0-100"


def test_lost_records_of_a_cpu_do_not_change_threads_that_run_on_another() -> None:
    lost = (LostRecords(20 * MILLISECOND, 30 * MILLISECOND, 0, 5),)
    text = "A Q0-1 R1-100\nB@1 Q0-1 R1-100"
    assert timeline(text, lost=lost) == "Q0-1 R1-20 ?20-30 ?30-100"
    assert timeline(text, 1, lost=lost) == "Q0-1 R1-100"


def test_a_wake_up_just_before_the_switch_out_makes_the_thread_runnable() -> None:
    # Nanoseconds: the waker is 1000 ns ahead of the record of the switch-out.
    records = build_records(
        "A R0-10000 W(B)10000-11000 Q11000-15000 R15000-20000\nB@1 R0-20000", unit_ns=1
    ).records
    assert records.wake_ups is not None
    records.wake_ups.time_ns[0] = 9000
    intervals = build_intervals(records)
    begin = [
        (int(b), ThreadState(s)) for b, s in zip(intervals.begin_ns, intervals.state, strict=True)
    ]
    assert (10000, ThreadState.RUN_QUEUE) in begin


def test_only_threads_of_the_target_have_intervals() -> None:
    built = build_records("A R0-5 Q5-8 R8-9\nB/!other Q0-5 R5-8 Q8-9", whole_cpus=True)
    assert set(build_intervals(built.records).thread.tolist()) == {0}


def test_an_interval_has_the_sample_that_was_taken_when_it_began() -> None:
    built = build_records(
        "A R0-10 W(B,lock)10-90 R90-95 Q95-97 R97-98 W(?,sleep)98-99\nB@1 R0-99",
        places={"lock": Place(("lock",)), "sleep": Place(("sleep",))},
    )
    samples = built.records.switch_samples
    samples.time_ns[:] -= 700  # the kernel takes the sample before it records the switch-out
    intervals = build_intervals(built.records)
    names = [
        "" if row == NO_ROW else built.names.of(int(samples.stack[row]))[0]
        for row in intervals.sample[intervals.thread == 0]
    ]
    assert names == ["", "lock", "", "", "", "sleep"]


def test_intervals_of_a_thread_leave_no_gap() -> None:
    generator = np.random.default_rng(5)
    words, time = [], 0
    for _ in range(300):
        for letter in ("R", generator.choice(["W(B)", "Q", "W(?)"])):
            length = int(generator.integers(1, 50))
            words.append(f"{letter}{time}-{time + length}")
            time += length
    built = build_records(f"A {' '.join(words)}\nB@1 R0-{time}", unit_ns=1000)
    intervals = build_intervals(built.records)
    of_thread = intervals.thread == 0
    assert np.array_equal(intervals.end_ns[of_thread][:-1], intervals.begin_ns[of_thread][1:])
    assert int(intervals.duration_ns[of_thread].sum()) == time * 1000


def test_a_reading_of_an_ended_thread_says_nothing() -> None:
    records = build_records("A R0-5\nB R0-9", readings=False).records
    ended = replace(records, readings=(ThreadReading(0, 0, "", None, None),))
    assert timeline_text(build_intervals(ended)) == ""


def test_more_threads_than_16_bits_are_sorted_alike() -> None:
    text = "\n".join(f"t{number} R0-1 W(t0)1-2 R2-3" for number in range(50))
    built = build_records(text)
    small = build_intervals(built.records)
    many = replace(
        built.records, threads=built.records.threads + built.records.threads[:1] * 70_000
    )
    large = build_intervals(many)
    assert np.array_equal(small.begin_ns, large.begin_ns)
    assert np.array_equal(small.state, large.state)


@pytest.mark.parametrize("distance_ns", [-3000, 1000])
def test_a_sample_just_before_or_after_a_switch_out_belongs_to_it(distance_ns: int) -> None:
    text = "A R0-1 Q(?,lock)1-1.04 R1.04-1.06 W(?,disk)1.06-3 R3-4"
    places = {"lock": Place(("lock",)), "disk": Place(("disk",))}
    records = build_records(text, places=places).records
    records.switch_samples.time_ns[:] += np.int64(distance_ns).astype(np.uint64)
    intervals = build_intervals(records)
    assert intervals.sample[[1, 3]].tolist() == [0, 1]
