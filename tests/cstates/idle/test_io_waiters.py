"""Estimated I/O waiters from hand-made sequences of events."""

from cstates.idle.io_waiters import IoWaiters

DISK = 8 << 20


def test_a_task_that_sleeps_during_a_request_waits_on_its_cpu() -> None:
    waiters = IoWaiters()
    waiters.request_issued(DISK, 0)
    waiters.task_blocked(1, 42)
    waiters.task_blocked(1, 43)
    waiters.task_blocked(0, 44)
    assert [waiters.on(cpu) for cpu in (0, 1, 2)] == [1, 2, 0]


def test_a_task_that_sleeps_without_a_request_does_not_wait_for_io() -> None:
    waiters = IoWaiters()
    waiters.task_blocked(1, 42)
    waiters.request_issued(DISK, 0)
    assert waiters.on(1) == 0


def test_a_wait_ends_when_the_task_runs_on_any_cpu() -> None:
    waiters = IoWaiters()
    waiters.request_issued(DISK, 0)
    waiters.task_blocked(1, 42)
    waiters.task_runs(42)
    waiters.task_runs(42)
    assert waiters.on(1) == 0
    waiters.task_blocked(0, 42)
    assert (waiters.on(0), waiters.on(1)) == (1, 0)


def test_a_task_that_sleeps_again_moves_to_its_new_cpu() -> None:
    """Its run in between may not have been traced."""
    waiters = IoWaiters()
    waiters.request_issued(DISK, 0)
    waiters.task_blocked(1, 42)
    waiters.task_blocked(0, 42)
    assert (waiters.on(0), waiters.on(1)) == (1, 0)


def test_waits_end_with_the_last_request_in_flight() -> None:
    waiters = IoWaiters()
    waiters.request_issued(DISK, 0)
    waiters.request_issued(DISK + 1, 0)
    waiters.task_blocked(1, 42)
    waiters.request_completed(DISK, 0)
    waiters.request_completed(DISK, 8)  # issued before the recording
    assert waiters.on(1) == 1
    waiters.request_completed(DISK + 1, 0)
    assert waiters.on(1) == 0


def test_lost_events_end_all_waits() -> None:
    waiters = IoWaiters()
    waiters.request_issued(DISK, 0)
    waiters.task_blocked(1, 42)
    waiters.clear()
    waiters.task_blocked(1, 43)
    assert waiters.on(1) == 0
