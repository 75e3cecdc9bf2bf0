"""Idle intervals from events: hand-computed causes, exits and losses."""

from cstates.idle.intervals import (
    INTERRUPT,
    IPI,
    NOT_IDLE,
    TIMER,
    UNKNOWN,
    IdleInterval,
    IntervalBuilder,
    in_time_order,
)
from cstates.simulation.trace import LONGEST_NS
from stallscope.tracing.ring_pages import RingEvent

TICK = 0xF00


def builder() -> IntervalBuilder:
    return IntervalBuilder(tick_function=TICK)


def only(events: IntervalBuilder) -> IdleInterval:
    (result,) = events.finish()
    return result


def test_a_timers_wake_up_is_measured_from_its_expiry() -> None:
    """With hlt the interrupt is traced before the state's end."""
    events = builder()
    events.timer_started(0, 1, TICK, 5_000)
    events.timer_started(0, 2, 0xABC, 9_000)
    events.idle_changed(1_000, 0, 1)
    events.interrupt_entered(5_300, 0, TIMER)
    events.idle_changed(5_700, 0, NOT_IDLE)
    result = events.task_switched_in(0, 77, "worker")
    assert result is not None
    assert (result.state, result.idle_ns, result.wake) == (1, 4_700, TIMER)
    assert (result.next_timer_ns, result.next_nontick_ns) == (4_000, 8_000)
    assert (result.awake_ns, result.exit_ns) == (300, 700)
    assert (result.pid, result.name) == (77, "worker")


def test_an_interrupt_after_the_end_is_the_cause() -> None:
    """With mwait and disabled interrupts the state ends before the interrupt is taken."""
    events = builder()
    events.timer_started(0, 2, 0xABC, 9_000)
    events.idle_changed(1_000, 0, 2)
    events.idle_changed(9_050, 0, NOT_IDLE)
    events.interrupt_entered(9_060, 0, TIMER)
    result = only(events)
    assert (result.wake, result.awake_ns, result.exit_ns) == (TIMER, 50, 50)


def test_an_ipi_is_measured_from_its_sending() -> None:
    events = builder()
    events.idle_changed(1_000, 0, 1)
    events.wakeup_sent(2_000, 0, polled=False)
    events.wakeup_sent(2_100, 0, polled=False)
    events.interrupt_entered(2_400, 0, IPI)
    events.idle_changed(2_600, 0, NOT_IDLE)
    result = only(events)
    assert (result.wake, result.awake_ns, result.exit_ns) == (IPI, 400, 600)
    assert result.next_timer_ns == LONGEST_NS  # none is known


def test_a_polling_cpu_needs_no_interrupt() -> None:
    events = builder()
    events.idle_changed(1_000, 0, 0)
    events.wakeup_sent(2_000, 0, polled=True)
    events.idle_changed(2_050, 0, NOT_IDLE)
    result = only(events)
    assert (result.wake, result.exit_ns) == (IPI, 50)


def test_a_device_interrupt_has_no_cause_time() -> None:
    events = builder()
    events.idle_changed(1_000, 0, 1)
    events.interrupt_entered(2_400, 0, INTERRUPT)
    events.idle_changed(2_600, 0, NOT_IDLE)
    result = only(events)
    assert (result.wake, result.awake_ns, result.exit_ns) == (INTERRUPT, None, None)


def test_a_missing_cause_is_unknown() -> None:
    events = builder()
    events.idle_changed(1_000, 0, 1)
    events.idle_changed(2_600, 0, NOT_IDLE)
    assert only(events).wake == UNKNOWN


def test_a_timer_due_later_is_not_the_cause() -> None:
    """A timer that was started before the trace woke the CPU, so that its expiry is unknown."""
    events = builder()
    events.timer_started(0, 2, 0xABC, 9_000)
    events.idle_changed(1_000, 0, 1)
    events.interrupt_entered(2_400, 0, TIMER)
    events.idle_changed(2_600, 0, NOT_IDLE)
    result = only(events)
    assert (result.wake, result.exit_ns) == (TIMER, None)


def test_a_timer_that_moved_belongs_to_its_new_cpu() -> None:
    events = builder()
    events.timer_started(0, 2, 0xABC, 9_000)
    events.timer_started(1, 2, 0xABC, 9_500)
    events.idle_changed(1_000, 0, 1)
    events.idle_changed(2_600, 0, NOT_IDLE)
    assert only(events).next_timer_ns == LONGEST_NS
    events.timer_cancelled(2)
    events.idle_changed(3_000, 1, 1)
    events.idle_changed(3_600, 1, NOT_IDLE)
    assert {item.next_timer_ns for item in events.finish()} == {LONGEST_NS}


def test_lost_events_discard_the_interval_and_the_timers() -> None:
    events = builder()
    events.timer_started(0, 2, 0xABC, 9_000)
    events.idle_changed(1_000, 0, 1)
    events.events_lost(0)
    assert events.idle_changed(2_600, 0, NOT_IDLE) is None
    assert (events.discarded, list(events.finish())) == (1, [])
    events.idle_changed(3_000, 0, 1)
    events.idle_changed(3_600, 0, NOT_IDLE)
    assert only(events).next_timer_ns == LONGEST_NS


def test_the_next_entry_returns_the_previous_interval() -> None:
    events = builder()
    events.idle_changed(1_000, 0, 1)
    events.idle_changed(2_000, 0, NOT_IDLE)
    result = events.idle_changed(2_100, 0, 1)
    assert result is not None
    assert (result.idle_ns, result.pid) == (1_000, 0)


def test_events_of_all_cpus_are_merged_by_time() -> None:
    first = [RingEvent(t, 0, 1, 0, b"") for t in (1, 5, 9)]
    second = [RingEvent(t, 1, 1, 0, b"") for t in (2, 3, 10)]
    assert [item.t_ns for item in in_time_order([first, second])] == [1, 2, 3, 5, 9, 10]
