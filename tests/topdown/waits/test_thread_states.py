from dataclasses import replace
from typing import Any

import pytest

from tests.topdown.waits.wait_records_builder import (
    MILLISECOND,
    BuiltRecords,
    Place,
    build_records,
)
from topdown.waits.records import ThrottledTime
from topdown.waits.states import ThreadState
from topdown.waits.thread_states import CPU_STAT, SAMPLES, ThreadTotals, thread_totals
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import classify_waits

PLACES = {
    "user": Place(("work", "main")),
    "kernel": Place(("write",), ("vfs_write",)),
    "lock": Place(("pthread_mutex_lock",), syscall=202, arguments=(0x1000, 128, 2)),
    "sleep": Place(("nanosleep",), syscall=230),
    "throttled": Place(("spin",), ("schedule", "task_work_run", "exit_to_user_mode_loop")),
}


def totals(text: str, **options: Any) -> ThreadTotals:
    return totals_of(build_records(text, places=PLACES, **options))


def totals_of(built: BuiltRecords, **options: Any) -> ThreadTotals:
    intervals = build_intervals(built.records)
    kinds = classify_waits(built.records, intervals, built.names, built.syscalls)
    return thread_totals(built.records, kinds, built.names, **options)


def states(result: ThreadTotals, thread: int = 0) -> dict[str, float]:
    """Return the states of a thread in milliseconds, without those of no time."""
    return {
        ThreadState(state).key: amount / MILLISECOND
        for state, amount in enumerate(result.amounts[thread].tolist())
        if amount
    }


def test_states_add_up_to_the_time_that_a_thread_lived() -> None:
    result = totals("A B5 Q5-6 R6-20 W(B,lock)20-60 Q60-70 R70-80 X80\nB@1 R0-100")
    assert states(result) == {"user": 24, "run_queue": 11, "lock": 40}
    assert result.wall_ns.tolist() == [75 * MILLISECOND, 100 * MILLISECOND]


def test_running_time_is_divided_by_samples() -> None:
    text = "A R(user)0-60 W(?,sleep)60-80 R(kernel)80-100"
    result = totals(text, cpu_sample_every=1)
    assert states(result) == {"user": 60, "system": 20, "sleep": 20}
    assert result.sources[ThreadState.SYSTEM] == {SAMPLES: 20 * MILLISECOND}


def test_a_thread_with_few_samples_has_the_shares_of_its_process() -> None:
    text = "A R(user)0-60 W(?,sleep)60-80 R(kernel)80-100\nB R0-4 W(?,sleep)4-100"
    result = totals(text, cpu_sample_every=1)
    system = states(result, 1)["system"]
    assert 0.9 < system < 1.0  # 20 of 84 samples


def test_without_samples_of_the_kernel_all_running_time_is_user_time() -> None:
    built = build_records("A R(kernel)0-60", places=PLACES, cpu_sample_every=1)
    assert states(totals_of(built, kernel_sampled=False)) == {"user": 60}


def test_without_wake_ups_schedstat_gives_the_time_in_the_run_queue() -> None:
    text = "A R0-10 W(B,lock)10-60 Q60-80 R80-90 Q90-95 R95-100\nB@1 R0-100"
    result = totals(text, wakers=False)
    assert states(result) == {"user": 25, "run_queue": 25, "lock": 50}


def test_throttled_time_without_chains_is_that_of_the_cgroup() -> None:
    result = throttled_totals("A R0-20 Q20-99 R99-100\nB R0-20 Q20-40 R40-100", "ab", 60)
    assert states(result) == {"user": 21, "run_queue": 19, "throttled": 60}
    assert states(result, 1)["run_queue"] == 20
    assert result.sources[ThreadState.THROTTLED] == {CPU_STAT: 60 * MILLISECOND}


@pytest.mark.parametrize(
    ("other", "throttled_ms"),
    [
        ("W(?,sleep)0-100", 70),
        ("R0-80 Q80-100", 60),
        ("R0-100", 40),
        ("R0-95 Q95-100", 37),
    ],
)
def test_a_throttling_that_has_not_ended_counts_if_no_thread_of_the_cgroup_runs(
    other: str, throttled_ms: int
) -> None:
    result = throttled_totals(f"A R0-20 Q20-60 R60-70 Q70-100\nB {other}", "aa", 40)
    assert states(result)["throttled"] == pytest.approx(throttled_ms, abs=2.5)


@pytest.mark.parametrize(
    ("text", "throttled_ms"),
    [
        ("A Q0-40 R40-50 Q(?,throttled)50-90 R90-100", 80),
        ("A Q0-5 R5-50 Q(?,throttled)50-90 R90-100", 40),
        ("A Q0-40 R40-50 Q(?,throttled)50-90 R90-100\nB R0-100", 40),
    ],
)
def test_a_throttling_that_began_before_the_recording_has_no_chain(
    text: str, throttled_ms: int
) -> None:
    assert states(throttled_totals(text, "aa", 60))["throttled"] == throttled_ms


def throttled_totals(text: str, cgroups: str, throttled_ms: int) -> ThreadTotals:
    """Return the totals of threads in cgroups, the first of which was throttled."""
    built = build_records(text, places=PLACES)
    readings = tuple(
        replace(reading, cgroup=f"/{cgroups[reading.thread]}") for reading in built.records.readings
    )
    throttled = (ThrottledTime(f"/{cgroups[0]}", throttled_ms * MILLISECOND, 3, None),)
    records = replace(built.records, readings=readings, throttled=throttled)
    return totals_of(replace(built, records=records))


def test_the_scheduler_searching_for_another_thread_belongs_to_the_wait() -> None:
    text = "A R0-10 W(?,sleep)10-20 R20-30 W(?,sleep)30-40 R40-50"
    built = build_records(text, places=PLACES)
    cpu_us = 29_900

    def running(cpu_us: int) -> dict[str, float]:
        readings = tuple(
            replace(reading, run_ns=reading.run_ns and cpu_us * 1000)
            for reading in built.records.readings
        )
        return states(totals_of(replace(built, records=replace(built.records, readings=readings))))

    assert running(cpu_us) == {"user": 29.9, "sleep": 20.1}
    # More than two switches can need is a fault of the recording, and not time of waits.
    assert running(25_000) == {"user": 29.8, "sleep": 20.2}


def test_running_time_that_schedstat_does_not_have_is_stolen() -> None:
    built = build_records("A R0-100")
    readings = tuple(
        replace(reading, run_ns=reading.run_ns and 90 * MILLISECOND)
        for reading in built.records.readings
    )
    without = replace(built, records=replace(built.records, readings=readings))
    assert states(totals_of(without)) == {"user": 100}
    steal = (ThrottledTime("", None, None, 8 * MILLISECOND),)
    stolen = replace(built, records=replace(built.records, readings=readings, throttled=steal))
    assert states(totals_of(stolen)) == {"user": 92, "stolen": 8}


def test_a_thread_without_two_readings_has_no_schedstat() -> None:
    result = totals("A R0-10 X10\nB R0-20")
    assert result.run_ns == (None, 20 * MILLISECOND)


def test_a_wait_longer_than_all_throttlings_is_not_throttled() -> None:
    text = "A Q0-40 R40-50 Q(?,throttled)50-90 R90-100"
    assert states(throttled_totals(text, "aa", 30))["throttled"] == 40
