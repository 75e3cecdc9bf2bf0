"""Idle intervals of CPUs, built from the kernel's tracepoints.

An interval begins and ends with power:cpu_idle. The wake-up's cause is the first interrupt traced
within the interval or, if the state keeps interrupts disabled (mwait), the first after its end. A
CPU that polls can also be woken by another CPU without an interrupt. A timer's cause time is the
expiry of the CPU's next timer; an IPI's is the time at which the other CPU sent it. Two times are
measured from there: to the first event that shows the CPU awake, and to the end of the idle state.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from cstates.idle.io_waiters import IoWaiters
from cstates.idle.next_timers import NO_EXPIRY_NS, NextTimers
from cstates.simulation.trace import LONGEST_NS
from stallscope.tracing.ring_pages import LOST, RingEvent

TIMER, IPI, INTERRUPT, UNKNOWN = "timer", "ipi", "interrupt", "unknown"
NOT_IDLE = 0xFFFFFFFF  # the state in cpu_idle's record at the end of an interval


@dataclass(frozen=True, slots=True)
class IdleInterval:
    """An idle interval; times in ns, either of CLOCK_MONOTONIC or lengths."""

    cpu: int
    t_entry_ns: int
    state: int
    idle_ns: int
    next_timer_ns: int  # from entry to the CPU's next timer, including the tick
    next_nontick_ns: int
    wake: str
    awake_ns: int | None  # from the cause to the first event that shows the CPU awake
    exit_ns: int | None  # from the cause to the end of the state; None if the cause has no time
    pid: int  # the task that ran next; 0: none
    name: str
    io_waiters: int = 0  # tasks that wait for block I/O at the entry; estimated


@dataclass(slots=True)
class _CpuState:
    """What is known of a CPU while its events are read."""

    timers: NextTimers
    entered_ns: int | None = None
    state: int = 0
    io_waiters: int = 0  # at the entry
    due_ns: tuple[int, int] = (NO_EXPIRY_NS, NO_EXPIRY_NS)  # at the entry
    sent_ns: int | None = None  # when another CPU sent a wake-up to this one
    polled: bool = False  # the wake-up needed no IPI
    cause: str = ""
    interrupted_ns: int | None = None
    pending: IdleInterval | None = None  # ended; its next task or its interrupt may still follow


@dataclass(slots=True)
class IntervalBuilder:
    """Builds intervals from the events of all CPUs in order of time; see ``tracepoints``."""

    tick_function: int | None
    discarded: int = 0  # intervals in which events were lost
    waiters: IoWaiters = field(default_factory=IoWaiters)
    _cpus: dict[int, _CpuState] = field(default_factory=dict)
    _owners: dict[int, _CpuState] = field(default_factory=dict)  # by timer

    def _cpu(self, cpu: int) -> _CpuState:
        state = self._cpus.get(cpu)
        if state is None:
            state = self._cpus[cpu] = _CpuState(NextTimers(self.tick_function))
        return state

    def idle_changed(self, t_ns: int, cpu: int, state: int) -> IdleInterval | None:
        """Handle power:cpu_idle; return the previous interval, which is now complete."""
        at = self._cpu(cpu)
        complete, at.pending = at.pending, None
        if state != NOT_IDLE:
            at.entered_ns, at.state, at.due_ns = t_ns, state, at.timers.next_ns(t_ns)
            at.sent_ns, at.polled, at.cause, at.interrupted_ns = None, False, "", None
            at.io_waiters = self.waiters.on(cpu)
        elif at.entered_ns is not None:
            at.pending = _interval(at, cpu, t_ns)
            at.entered_ns = None
        return complete

    def interrupt_entered(self, t_ns: int, cpu: int, cause: str) -> None:
        """Handle the entry of an interrupt."""
        at = self._cpu(cpu)
        if at.entered_ns is not None and not at.cause:
            at.cause, at.interrupted_ns = cause, t_ns
        elif at.pending is not None and not at.cause:
            at.cause = cause
            at.pending = _with_cause(at, at.pending)

    def wakeup_sent(self, t_ns: int, cpu: int, *, polled: bool) -> None:
        """Handle a wake-up of this CPU by another CPU, by an IPI or without one (``polled``)."""
        at = self._cpu(cpu)
        if at.entered_ns is not None and at.sent_ns is None:
            at.sent_ns, at.polled = t_ns, polled

    def task_switched_in(self, cpu: int, pid: int, name: str) -> IdleInterval | None:
        """Handle a switch from the idle task; return the interval before it."""
        self.waiters.task_runs(pid)
        at = self._cpu(cpu)
        complete, at.pending = at.pending, None
        return complete and replace(complete, pid=pid, name=name)

    def timer_started(self, cpu: int, timer: int, function: int, expires_ns: int) -> None:
        """Handle the start of a timer on a CPU."""
        at = self._cpu(cpu)
        owner = self._owners.get(timer)
        if owner is not None and owner is not at:
            owner.timers.end(timer)
        self._owners[timer] = at
        at.timers.start(timer, function, expires_ns)

    def timer_cancelled(self, timer: int) -> None:
        """Handle the cancellation of a timer."""
        owner = self._owners.get(timer)
        if owner is not None:
            owner.timers.end(timer)

    def events_lost(self, cpu: int) -> None:
        """Handle a loss of a CPU's events: its current interval is discarded."""
        at = self._cpu(cpu)
        self.discarded += at.entered_ns is not None or at.pending is not None
        at.entered_ns, at.pending = None, None
        at.timers.clear()
        self.waiters.clear()

    def finish(self) -> Iterator[IdleInterval]:
        """Yield the last complete interval of each CPU; intervals still open are discarded."""
        for at in self._cpus.values():
            if at.pending is not None:
                yield at.pending


def _interval(at: _CpuState, cpu: int, t_ns: int) -> IdleInterval:
    assert at.entered_ns is not None
    interval = IdleInterval(
        cpu=cpu,
        t_entry_ns=at.entered_ns,
        state=at.state,
        idle_ns=t_ns - at.entered_ns,
        next_timer_ns=_until(at.due_ns[0], at.entered_ns),
        next_nontick_ns=_until(at.due_ns[1], at.entered_ns),
        wake=UNKNOWN,
        awake_ns=None,
        exit_ns=None,
        pid=0,
        name="",
        io_waiters=at.io_waiters,
    )
    if at.polled and not at.cause:
        at.cause = IPI
    return _with_cause(at, interval) if at.cause else interval


def _until(due_ns: int, entered_ns: int) -> int:
    return min(max(0, due_ns - entered_ns), LONGEST_NS)  # a trace writes "no timer" as LONGEST_NS


def _with_cause(at: _CpuState, interval: IdleInterval) -> IdleInterval:
    """Return the interval with its cause, and the times since the cause if that has a time."""
    end_ns = interval.t_entry_ns + interval.idle_ns
    awake_ns = end_ns if at.interrupted_ns is None else at.interrupted_ns
    cause_ns = {TIMER: interval.t_entry_ns + interval.next_timer_ns, IPI: at.sent_ns}.get(at.cause)
    if cause_ns is None or not interval.t_entry_ns <= cause_ns <= awake_ns:
        return replace(interval, wake=at.cause)
    return replace(interval, wake=at.cause, awake_ns=awake_ns - cause_ns, exit_ns=end_ns - cause_ns)


def in_time_order(streams: Iterable[Iterable[RingEvent]]) -> Iterator[RingEvent]:
    """Return the events of all CPUs in order of time."""
    return heapq.merge(*streams, key=_time)


def _time(event: RingEvent) -> int:
    return event.t_ns


def build_intervals(
    events: Iterable[RingEvent],
    handlers: dict[int, Callable[[IntervalBuilder, RingEvent], IdleInterval | None]],
    builder: IntervalBuilder,
) -> Iterator[IdleInterval]:
    """Yield the idle intervals of a trace; ``handlers`` by tracepoint number."""
    for event in events:
        if event.number == LOST:
            builder.events_lost(event.cpu)
            continue
        handler = handlers.get(event.number)
        complete = handler(builder, event) if handler else None
        if complete is not None:
            yield complete
    yield from builder.finish()
