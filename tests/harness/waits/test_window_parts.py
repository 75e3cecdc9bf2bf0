"""Locks and causes of recordings that have random windows from some time on."""

from dataclasses import replace

import numpy as np

from harness.waits.analysis import WaitAnalysis
from harness.waits.window_parts import whole_parts
from tests.harness.waits.analyses import analysis
from tests.topdown.waits.wait_records_builder import MILLISECOND

TEXT = """
    owner R0-40 W(?)40-41 R41-100
    waiter R0-10 W(owner,lock)10-30 R30-50 W(owner,lock)50-55 R55-100
    """


def limited(from_ms: int, *windows_ms: tuple[int, int]) -> WaitAnalysis:
    made = analysis(TEXT)
    windows = np.array(windows_ms, np.uint64).reshape(-1, 2) * np.uint64(MILLISECOND)
    limited_from_ns = from_ms * MILLISECOND
    return replace(
        made, records=replace(made.records, limited_from_ns=limited_from_ns, windows=windows)
    )


def test_only_waits_in_windows_stand_for_others() -> None:
    (lock,) = whole_parts(limited(40, (50, 60))).locks
    assert lock.wait_ns == (20 + 6 * 5) * MILLISECOND
    assert lock.waits == 1 + 6
    assert sum(caller.attributed_ns for caller in lock.callers) == lock.wait_ns
    causes = {cause.name: cause.wait_ns for cause in whole_parts(limited(40, (50, 60))).causes}
    assert causes["owner"] == 50 * MILLISECOND


def test_a_recording_that_is_limited_from_its_begin_has_windows_only() -> None:
    (lock,) = whole_parts(limited(0, (50, 60))).locks
    assert lock.waits == 2 * 10  # the intervals outside of windows are part of this text


def test_a_recording_of_all_switches_has_its_own_times() -> None:
    (lock,) = whole_parts(analysis(TEXT)).locks
    assert (lock.wait_ns, lock.waits) == (25 * MILLISECOND, 2)
