"""A period of a recording: all tables have the times inside it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.profile.period import Period
from harness.waits.build import waits_result
from harness.waits.period import analysis_within
from harness.waits.result import WaitsResult
from stallscope.errors import UsageError
from tests.harness.waits.analyses import analysis
from topdown.waits.records import ThreadReading

MS = 1_000_000
TEXT = """
    hog R(code)0-500
    w-1@1 R0-10 W(hog,lock)10-90 R90-200 W(hog,lock)200-490 R490-500
    """


def result_of_period(begin_s: float, end_s: float) -> WaitsResult:
    part = analysis_within(analysis(TEXT, cpu_sample_every=1), Period(begin_s, end_s))
    return waits_result(part, recording=Path("run"), report=None)


def test_states_locks_causes_and_waits_are_those_of_the_period() -> None:
    result = result_of_period(0.05, 0.15)
    assert (result.period is not None, result.wall_ns) == (True, 100 * MS)
    assert [thread.wall_ns for thread in result.threads] == [100 * MS, 100 * MS]
    locked = {thread.name: thread.states_ns["lock"] for thread in result.threads}
    assert locked == {"hog": 0, "w-1": 40 * MS}
    (lock,) = result.locks
    assert (lock.wait_ns, lock.waits) == (40 * MS, 1)
    assert sum(cause.wait_ns for cause in result.causes) == 40 * MS
    assert sum(wait.wait_ns for wait in result.ended_waits) == 40 * MS


def test_a_wait_counts_in_the_period_in_which_it_ends() -> None:
    (lock,) = result_of_period(0.25, 0.3).locks
    assert (lock.wait_ns, lock.waits) == (50 * MS, 0)


def test_adjacent_periods_add_up_to_the_recording() -> None:
    whole = waits_result(analysis(TEXT, cpu_sample_every=1), recording=Path("run"), report=None)
    parts = [result_of_period(0, 0.07), result_of_period(0.07, 0.33), result_of_period(0.33, 1)]
    for state in ("user", "system", "lock"):
        total = sum(row.states_ns[state] for part in parts for row in part.threads)
        assert total == pytest.approx(sum(row.states_ns[state] for row in whole.threads), abs=10)
    assert sum(part.locks[0].waits for part in parts) == whole.locks[0].waits


def test_a_period_after_the_end_is_refused() -> None:
    with pytest.raises(UsageError, match="ends at 0.500 s"):
        result_of_period(0.6, 0.7)


def test_a_period_of_random_windows_has_the_windows_and_readings_inside_it() -> None:
    built = analysis(TEXT)
    readings = tuple(
        ThreadReading(at * MS, 1, "S", 0, 0, (202, 0x5000, 128, 2), runs=0)
        for at in range(200, 500, 10)
    )
    limited = replace(
        built,
        records=replace(
            built.records,
            limited_from_ns=100 * MS,
            windows=np.array([[240, 245], [300, 305]], np.uint64) * np.uint64(MS),
            readings=readings,
        ),
    )
    part = analysis_within(limited, Period(0.25, 0.45))
    result = waits_result(part, recording=Path("run"), report=None)
    waiter = next(thread for thread in result.threads if thread.name == "w-1")
    assert waiter.wall_ns == 200 * MS
    assert waiter.states_ns["lock"] == 200 * MS
    assert waiter.errors_ns is not None
