"""The tracepoints that show idle intervals, and the handlers that pass them to the builder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cstates.idle.intervals import INTERRUPT, IPI, TIMER, IdleInterval, IntervalBuilder
from stallscope.errors import UnableError
from stallscope.system_files import read_text
from stallscope.tracing.event_format import EventFormat, read_event_format
from stallscope.tracing.ring_pages import RingEvent

Handler = Callable[[IntervalBuilder, RingEvent], IdleInterval | None]
CPU_IDLE = "power/cpu_idle"
SWITCH = "sched/sched_switch"
# Interrupt entries and the cause they show: x86's vectors, and the IPIs of other architectures.
INTERRUPTS = {
    "irq_vectors/local_timer_entry": TIMER,
    "irq_vectors/reschedule_entry": IPI,
    "irq_vectors/call_function_entry": IPI,
    "irq_vectors/call_function_single_entry": IPI,
    "irq_vectors/irq_work_entry": INTERRUPT,
    "irq_vectors/thermal_apic_entry": INTERRUPT,
    "ipi/ipi_entry": IPI,
    "irq/irq_handler_entry": INTERRUPT,
    "timer/hrtimer_expire_entry": TIMER,  # if no vector is traced before it
}
# The function of the tick's timer: since Linux 6.8, and before.
TICK_FUNCTIONS = ("tick_nohz_handler", "tick_sched_timer", "tick_nohz_highres_handler")
REQUEST_ISSUED, REQUEST_COMPLETED = "block/block_rq_issue", "block/block_rq_complete"
UNINTERRUPTIBLE = 2  # prev_state of sched_switch; TASK_UNINTERRUPTIBLE in include/linux/sched.h
# Only interrupts of the idle task, switches from it, and uninterruptible switches are recorded.
_IDLE_TASK = "common_pid == 0"
_OTHER_EVENTS = (
    "timer/hrtimer_start",
    "timer/hrtimer_cancel",
    "ipi/ipi_send_cpu",
    "sched/sched_wake_idle_without_ipi",
    REQUEST_ISSUED,
    REQUEST_COMPLETED,
)


@dataclass(frozen=True, slots=True)
class Tracepoints:
    """The tracepoints of a kernel: their filters, their handlers, and the missing ones."""

    filters: dict[str, str]  # by name; an empty filter records everything
    handlers: dict[int, Handler]  # by tracepoint number
    missing: tuple[str, ...]

    @property
    def estimates_io_waiters(self) -> bool:
        """Return whether tasks that wait for block I/O can be estimated."""
        return not {SWITCH, REQUEST_ISSUED, REQUEST_COMPLETED}.intersection(self.missing)


def find_tracepoints(events: Path) -> Tracepoints:
    """Return the tracepoints of a kernel; UnableError if it does not trace cpu_idle."""
    names = (CPU_IDLE, SWITCH, *INTERRUPTS, *_OTHER_EVENTS)
    formats = {name: read_event_format(events, name) for name in names}
    available = {name: layout for name, layout in formats.items() if layout is not None}
    if CPU_IDLE not in available:
        raise UnableError(
            "this kernel has no tracepoint power:cpu_idle",
            "record with --counters-only: the counters show entries and times",
        )
    return Tracepoints(
        filters={name: _filter(name) for name in available},
        handlers={layout.number: _handler(layout) for layout in available.values()},
        missing=tuple(name for name in names if name not in available),
    )


def _filter(name: str) -> str:
    if name == SWITCH:
        return f"prev_pid == 0 || prev_state == {UNINTERRUPTIBLE}"
    return _IDLE_TASK if name in INTERRUPTS else ""


def tick_function(kallsyms: Path = Path("/proc/kallsyms")) -> int | None:
    """Return the address of the tick's timer function; None if addresses are hidden."""
    text = read_text(kallsyms, 64 * 2**20) or ""
    for name in TICK_FUNCTIONS:
        at = text.find(f" {name}\n")
        if at >= 0:
            line = text[text.rfind("\n", 0, at) + 1 : at]
            return int(line.split()[0], 16) or None
    return None


def _handler(layout: EventFormat) -> Handler:
    if layout.name in INTERRUPTS:
        cause = INTERRUPTS[layout.name]
        return lambda builder, event: builder.interrupt_entered(event.t_ns, event.cpu, cause)
    factories = {
        CPU_IDLE: _idle,
        SWITCH: _switch,
        "timer/hrtimer_start": _timer_start,
        "timer/hrtimer_cancel": _timer_cancel,
        "ipi/ipi_send_cpu": _wakeup,
        "sched/sched_wake_idle_without_ipi": _wakeup,
        REQUEST_ISSUED: _request_issued,
        REQUEST_COMPLETED: _request_completed,
    }
    return factories[layout.name](layout)


def _idle(layout: EventFormat) -> Handler:
    unpack = layout.reader("state", "cpu_id").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> IdleInterval | None:
        state, cpu = unpack(event.record)
        return builder.idle_changed(event.t_ns, cpu, state)

    return handle


def _switch(layout: EventFormat) -> Handler:
    unpack = layout.reader("prev_state", "next_comm", "next_pid").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> IdleInterval | None:
        state, comm, pid = unpack(event.record)
        if event.pid != 0:
            builder.waiters.task_runs(pid)
            if state == UNINTERRUPTIBLE:
                builder.waiters.task_blocked(event.cpu, event.pid)
            return None
        return builder.task_switched_in(
            event.cpu, pid, comm.split(b"\0", 1)[0].decode("utf-8", "replace")
        )

    return handle


def _timer_start(layout: EventFormat) -> Handler:
    unpack = layout.reader("hrtimer", "function", "expires").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.timer_started(event.cpu, *unpack(event.record))

    return handle


def _timer_cancel(layout: EventFormat) -> Handler:
    unpack = layout.reader("hrtimer").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.timer_cancelled(unpack(event.record)[0])

    return handle


def _wakeup(layout: EventFormat) -> Handler:
    unpack = layout.reader("cpu").unpack_from
    polled = layout.name.startswith("sched/")

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.wakeup_sent(event.t_ns, unpack(event.record)[0], polled=polled)

    return handle


def _request_issued(layout: EventFormat) -> Handler:
    unpack = layout.reader("dev", "sector").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.waiters.request_issued(*unpack(event.record))

    return handle


def _request_completed(layout: EventFormat) -> Handler:
    unpack = layout.reader("dev", "sector").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.waiters.request_completed(*unpack(event.record))

    return handle
