"""The tracepoints that tell of idle intervals, and what each record means to their builder."""

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
# Entries of interrupts and what they tell; those of x86's vectors and of other machines' IPIs.
INTERRUPTS = {
    "irq_vectors/local_timer_entry": TIMER,
    "irq_vectors/reschedule_entry": IPI,
    "irq_vectors/call_function_entry": IPI,
    "irq_vectors/call_function_single_entry": IPI,
    "irq_vectors/irq_work_entry": INTERRUPT,
    "irq_vectors/thermal_apic_entry": INTERRUPT,
    "ipi/ipi_entry": IPI,
    "irq/irq_handler_entry": INTERRUPT,
    "timer/hrtimer_expire_entry": TIMER,  # where no vector is traced before it
}
# Functions of the tick's timer: since Linux 6.8, and before.
TICK_FUNCTIONS = ("tick_nohz_handler", "tick_sched_timer", "tick_nohz_highres_handler")
# Only what the idle task is interrupted by, and switches from it, is worth a record.
_OF_IDLE = "common_pid == 0"
_OTHERS = (
    "timer/hrtimer_start",
    "timer/hrtimer_cancel",
    "ipi/ipi_send_cpu",
    "sched/sched_wake_idle_without_ipi",
)


@dataclass(frozen=True, slots=True)
class Tracepoints:
    """Those that this kernel has: names with filters, handlers by number, and what is missing."""

    filters: dict[str, str]  # by name; empty for all records
    handlers: dict[int, Handler]
    missing: tuple[str, ...]


def find_tracepoints(events: Path) -> Tracepoints:
    """Return the tracepoints of a kernel; UnableError where it does not trace cpu_idle."""
    wanted = (CPU_IDLE, SWITCH, *INTERRUPTS, *_OTHERS)
    formats = {name: read_event_format(events, name) for name in wanted}
    there = {name: found for name, found in formats.items() if found is not None}
    if CPU_IDLE not in there:
        raise UnableError(
            "this kernel has no tracepoint power:cpu_idle",
            "record with --counters-only: the counters tell entries and times",
        )
    return Tracepoints(
        filters={name: _filter(name) for name in there},
        handlers={found.number: _handler(found) for found in there.values()},
        missing=tuple(name for name in wanted if name not in there),
    )


def _filter(name: str) -> str:
    if name == SWITCH:
        return "prev_pid == 0"
    return _OF_IDLE if name in INTERRUPTS else ""


def tick_function(kallsyms: Path = Path("/proc/kallsyms")) -> int | None:
    """Return the address of the tick's timer function; None where addresses are hidden."""
    text = read_text(kallsyms, 64 * 2**20) or ""
    for name in TICK_FUNCTIONS:
        at = text.find(f" {name}\n")
        if at >= 0:
            line = text[text.rfind("\n", 0, at) + 1 : at]
            return int(line.split()[0], 16) or None
    return None


def _handler(found: EventFormat) -> Handler:
    if found.name in INTERRUPTS:
        cause = INTERRUPTS[found.name]
        return lambda builder, event: builder.interrupted(event.t_ns, event.cpu, cause)
    makers = {
        CPU_IDLE: _idle,
        SWITCH: _switch,
        "timer/hrtimer_start": _timer_start,
        "timer/hrtimer_cancel": _timer_end,
        "ipi/ipi_send_cpu": _asking,
        "sched/sched_wake_idle_without_ipi": _asking,
    }
    return makers[found.name](found)


def _idle(found: EventFormat) -> Handler:
    unpack = found.reader("state", "cpu_id").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> IdleInterval | None:
        state, cpu = unpack(event.record)
        return builder.entered_or_left(event.t_ns, cpu, state)

    return handle


def _switch(found: EventFormat) -> Handler:
    unpack = found.reader("next_comm", "next_pid").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> IdleInterval | None:
        if event.pid != 0:
            return None
        comm, pid = unpack(event.record)
        return builder.ran(event.cpu, pid, comm.split(b"\0", 1)[0].decode("utf-8", "replace"))

    return handle


def _timer_start(found: EventFormat) -> Handler:
    unpack = found.reader("hrtimer", "function", "expires").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.timer_started(event.cpu, *unpack(event.record))

    return handle


def _timer_end(found: EventFormat) -> Handler:
    unpack = found.reader("hrtimer").unpack_from

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.timer_ended(unpack(event.record)[0])

    return handle


def _asking(found: EventFormat) -> Handler:
    unpack = found.reader("cpu").unpack_from
    polled = found.name.startswith("sched/")

    def handle(builder: IntervalBuilder, event: RingEvent) -> None:
        builder.asked(event.t_ns, unpack(event.record)[0], polled=polled)

    return handle
