"""The next timer in hand-computed sequences."""

from cstates.idle.next_timers import NO_EXPIRY_NS, NextTimers

TICK = 0xF00


def test_the_tick_is_tracked_separately() -> None:
    timers = NextTimers(TICK)
    assert timers.next_ns(0) == (NO_EXPIRY_NS, NO_EXPIRY_NS)
    timers.start(1, TICK, 400)
    timers.start(2, 0xABC, 900)
    assert timers.next_ns(0) == (400, 900)
    timers.end(1)
    assert timers.next_ns(0) == (900, 900)


def test_a_timer_that_is_moved_counts_once() -> None:
    timers = NextTimers(None)
    timers.start(1, 0xABC, 500)
    timers.start(1, 0xABC, 800)
    assert timers.next_ns(0) == (800, 800)
    timers.start(2, TICK, 600)  # no tick is known: a timer as any other
    assert timers.next_ns(0) == (600, 600)


def test_a_timer_due_before_now_has_expired() -> None:
    timers = NextTimers(TICK)
    timers.start(1, 0xABC, 500)
    timers.start(2, 0xABC, 700)
    timers.start(3, TICK, 450)
    assert timers.next_ns(500) == (700, 700)


def test_many_restarts_use_bounded_memory() -> None:
    timers = NextTimers(None)
    for expiry in range(10_000):
        timers.start(1, 0xABC, 1_000_000 - expiry)
    assert len(timers._heap) < 100
    assert timers.next_ns(0)[0] == 1_000_000 - 9_999
