"""Files of a process in /proc."""

import pytest

from tests.topdown.slots.without_pmu.proc_folder import Proc
from topdown.slots.without_pmu.process_files import read_process, read_thread

TICK_S = 0.01  # USER_HZ of Linux


def test_a_name_with_parentheses_is_parsed(proc: Proc) -> None:
    proc.process(7, user=150, system=50, minor=9)
    counts = read_process(proc.root, 7)
    assert counts is not None
    assert (counts.user_s, counts.system_s) == pytest.approx((150 * TICK_S, 50 * TICK_S))
    assert (counts.minor_faults, counts.major_faults) == (9, 2)


def test_an_invalid_stat_file_counts_as_an_ended_process(proc: Proc) -> None:
    proc.process(7)
    (proc.root / "7" / "stat").write_text("7 (x) R 1 2\n")
    assert read_process(proc.root, 7) is None
    assert read_process(proc.root, 8) is None


def test_disk_waits_are_unknown_without_delay_accounting(proc: Proc) -> None:
    proc.process(7)
    proc.thread(7, 7)
    off = read_thread(proc.root, 7, 7, disk_waits=False)
    on = read_thread(proc.root, 7, 7, disk_waits=True)
    assert off is not None
    assert on is not None
    assert off.counts.disk_wait_ns is None
    assert on.counts.disk_wait_ns == 11 * 10**7
