"""Locks and causes of recordings that have random windows from some time on."""

from dataclasses import replace

import numpy as np

from harness.waits.analysis import WaitAnalysis
from harness.waits.window_parts import _sum, whole_parts
from tests.harness.waits.analyses import analysis
from tests.harness.waits.waits_results import lock
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


def test_what_wake_ups_show_is_kept_if_windows_have_none() -> None:
    parts = whole_parts(analysis(TEXT))
    signs = ("thundering herd: a wake-up wakes 8 threads", "convoy: 2 threads wait")
    early = replace(parts, locks=(lock(wait_ns=10, woken_per_wake_up=8.0, signs=signs),))
    late = replace(parts, locks=(lock(wait_ns=90, signs=("convoy: 3 threads wait",)),))
    (both,) = _sum(early, late).locks
    assert both.wait_ns == 100
    assert both.woken_per_wake_up == 8.0
    assert both.signs == ("convoy: 3 threads wait", signs[0])
