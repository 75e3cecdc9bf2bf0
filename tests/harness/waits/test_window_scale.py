from dataclasses import replace

import numpy as np

from harness.waits.locks_document import LockParts, lock_parts
from harness.waits.window_scale import scale_parts, window_scale
from tests.harness.waits.analyses import analysis
from tests.topdown.waits.wait_records_builder import MILLISECOND
from topdown.waits.records import WaitRecords

TEXT = """
    owner R0-90 W(?,read)90-100
    waiter R0-10 W(owner,lock)10-90 R90-100
    """


def parts_of_locks() -> LockParts:
    made = analysis(TEXT)
    return lock_parts(made.records, made.kinds.intervals, made.names, made.calls)


def limited(
    records: WaitRecords, limited_from_ms: int, *windows_ms: tuple[int, int]
) -> WaitRecords:
    begin = records.begin_ns
    times = [[begin + edge * MILLISECOND for edge in window] for window in windows_ms]
    return replace(
        records,
        limited_from_ns=begin + limited_from_ms * MILLISECOND,
        windows=np.array(times, np.uint64).reshape(-1, 2),
    )


def scale_of(*windows_ms: tuple[int, int]) -> float:
    records = limited(analysis(TEXT).records, 0, *windows_ms)
    return window_scale(records, records.begin_ns, records.end_ns)


def test_parts_that_need_no_factor_are_not_copied() -> None:
    parts = parts_of_locks()
    assert scale_parts(parts, 1.0) is parts


def test_windows_stand_for_the_time_outside_of_them() -> None:
    assert scale_of((10, 15), (50, 55)) == 10


def test_without_a_window_nothing_is_scaled() -> None:
    assert scale_of() == 1


def test_times_and_numbers_of_waits_are_scaled_and_extremes_are_not() -> None:
    parts = parts_of_locks()
    scaled = scale_parts(parts, 4.0)
    assert [lock.wait_ns for lock in scaled.locks] == [4 * lock.wait_ns for lock in parts.locks]
    assert [lock.waits for lock in scaled.locks] == [4 * lock.waits for lock in parts.locks]
    assert [lock.longest_ns for lock in scaled.locks] == [lock.longest_ns for lock in parts.locks]
    assert parts.locks[0].callers[0].inclusive_ns > 0
    assert scaled.locks[0].callers[0].inclusive_ns == 4 * parts.locks[0].callers[0].inclusive_ns
    assert scaled.causes[0].wait_ns == 4 * parts.causes[0].wait_ns > 0
    assert scaled.causes[0].chain[-1].wait_ns == 4 * parts.causes[0].chain[-1].wait_ns
    assert scaled.graph.wait_ns == 4 * parts.graph.wait_ns
