"""Idle intervals of CPUs, put together from the kernel's tracepoints.

An interval begins and ends with power:cpu_idle. What woke the CPU is the first interrupt that was
traced in it, or, where the state keeps interrupts off (mwait), the first behind its end; or another
CPU's wake-up of one that polls, which needs no interrupt. The cause of a timer's wake-up is the
expiry of the CPU's next timer; of another CPU's, its sending of the IPI. From there two times are
taken: to the first that was traced of the CPU being awake, and to the end of the idle state.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from cstates.idle.next_timers import NO_EXPIRY_NS, NextTimers
from cstates.simulation.trace import LONGEST_NS
from stallscope.tracing.ring_pages import LOST, RingEvent

TIMER, IPI, INTERRUPT, UNKNOWN = "timer", "ipi", "interrupt", "unknown"
NOT_IDLE = 0xFFFFFFFF  # the state that cpu_idle tells at the end


@dataclass(frozen=True, slots=True)
class IdleInterval:
    """One idle interval; times in ns, of CLOCK_MONOTONIC or lengths."""

    cpu: int
    t_entry_ns: int
    state: int
    idle_ns: int
    next_timer_ns: int  # from entry to the CPU's next timer, the tick among them
    next_nontick_ns: int
    wake: str
    awake_ns: int | None  # from the cause to the first sign of being awake
    exit_ns: int | None  # from the cause to the end of the state; None where the cause has no time
    pid: int  # the task that ran then; 0: none did
    name: str


@dataclass(slots=True)
class _Cpu:
    """What is known of one CPU on the way."""

    timers: NextTimers
    entered_ns: int | None = None
    state: int = 0
    due_ns: tuple[int, int] = (NO_EXPIRY_NS, NO_EXPIRY_NS)  # at the entry
    sent_ns: int | None = None  # when another CPU asked to wake this one
    polled: bool = False  # without an IPI
    cause: str = ""
    interrupted_ns: int | None = None
    ended: IdleInterval | None = None  # waits for what runs, or for the interrupt behind the end


@dataclass(slots=True)
class IntervalBuilder:
    """Turns events of all CPUs, in order of time, into intervals; see `tracepoints`."""

    tick_function: int | None
    discarded: int = 0  # intervals that lost events were in
    _cpus: dict[int, _Cpu] = field(default_factory=dict)
    _owners: dict[int, _Cpu] = field(default_factory=dict)  # of timers

    def _cpu(self, cpu: int) -> _Cpu:
        found = self._cpus.get(cpu)
        if found is None:
            found = self._cpus[cpu] = _Cpu(NextTimers(self.tick_function))
        return found

    def entered_or_left(self, t_ns: int, cpu: int, state: int) -> IdleInterval | None:
        """Take power:cpu_idle; return the interval before this one once nothing can add to it."""
        at = self._cpu(cpu)
        done, at.ended = at.ended, None
        if state != NOT_IDLE:
            at.entered_ns, at.state, at.due_ns = t_ns, state, at.timers.next_ns(t_ns)
            at.sent_ns, at.polled, at.cause, at.interrupted_ns = None, False, "", None
        elif at.entered_ns is not None:
            at.ended = _interval(at, cpu, t_ns)
            at.entered_ns = None
        return done

    def interrupted(self, t_ns: int, cpu: int, cause: str) -> None:
        """Take the entry of an interrupt."""
        at = self._cpu(cpu)
        if at.entered_ns is not None and not at.cause:
            at.cause, at.interrupted_ns = cause, t_ns
        elif at.ended is not None and not at.cause:
            at.cause = cause
            at.ended = _caused(at, at.ended)

    def asked(self, t_ns: int, cpu: int, *, polled: bool) -> None:
        """Take another CPU's sending of an IPI to this one, or its waking without one."""
        at = self._cpu(cpu)
        if at.entered_ns is not None and at.sent_ns is None:
            at.sent_ns, at.polled = t_ns, polled

    def ran(self, cpu: int, pid: int, name: str) -> IdleInterval | None:
        """Take the task that followed idle, and return the interval before it."""
        at = self._cpu(cpu)
        done, at.ended = at.ended, None
        return done and replace(done, pid=pid, name=name)

    def timer_started(self, cpu: int, timer: int, function: int, expires_ns: int) -> None:
        """Take a timer."""
        at = self._cpu(cpu)
        owner = self._owners.get(timer)
        if owner is not None and owner is not at:
            owner.timers.end(timer)
        self._owners[timer] = at
        at.timers.start(timer, function, expires_ns)

    def timer_ended(self, timer: int) -> None:
        """Take a timer's cancelling."""
        owner = self._owners.get(timer)
        if owner is not None:
            owner.timers.end(timer)

    def lost(self, cpu: int) -> None:
        """Take that the kernel lost events of a CPU: the interval under way is not told."""
        at = self._cpu(cpu)
        self.discarded += at.entered_ns is not None or at.ended is not None
        at.entered_ns, at.ended = None, None
        at.timers.clear()

    def rest(self) -> Iterator[IdleInterval]:
        """Yield the intervals that ended last; those under way are not told."""
        for at in self._cpus.values():
            if at.ended is not None:
                yield at.ended


def _interval(at: _Cpu, cpu: int, t_ns: int) -> IdleInterval:
    assert at.entered_ns is not None
    bare = IdleInterval(
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
    )
    if at.polled and not at.cause:
        at.cause = IPI
    return _caused(at, bare) if at.cause else bare


def _until(due_ns: int, entered_ns: int) -> int:
    return min(max(0, due_ns - entered_ns), LONGEST_NS)  # a trace's word for none is the longest


def _caused(at: _Cpu, bare: IdleInterval) -> IdleInterval:
    """Return the interval with its cause, and the times from it where the cause has one."""
    end_ns = bare.t_entry_ns + bare.idle_ns
    awake_ns = end_ns if at.interrupted_ns is None else at.interrupted_ns
    began_ns = {TIMER: bare.t_entry_ns + bare.next_timer_ns, IPI: at.sent_ns}.get(at.cause)
    if began_ns is None or not bare.t_entry_ns <= began_ns <= awake_ns:
        return replace(bare, wake=at.cause)
    return replace(bare, wake=at.cause, awake_ns=awake_ns - began_ns, exit_ns=end_ns - began_ns)


def in_order(streams: Iterable[Iterable[RingEvent]]) -> Iterator[RingEvent]:
    """Return the events of all CPUs in order of time."""
    return heapq.merge(*streams, key=_time)


def _time(event: RingEvent) -> int:
    return event.t_ns


def intervals(
    events: Iterable[RingEvent],
    handlers: dict[int, Callable[[IntervalBuilder, RingEvent], IdleInterval | None]],
    builder: IntervalBuilder,
) -> Iterator[IdleInterval]:
    """Yield the idle intervals of a trace; ``handlers`` by the tracepoints' numbers."""
    for event in events:
        if event.number == LOST:
            builder.lost(event.cpu)
            continue
        handler = handlers.get(event.number)
        done = handler(builder, event) if handler else None
        if done is not None:
            yield done
    yield from builder.rest()
