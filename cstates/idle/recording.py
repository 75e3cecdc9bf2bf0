"""Recording of idle intervals: a private trace instance while a function runs."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cstates.idle.intervals import IdleInterval, IntervalBuilder, build_intervals, in_time_order
from cstates.idle.summary import IdleSummary
from cstates.idle.tracepoints import Tracepoints, find_tracepoints, tick_function
from stallscope.errors import UnableError
from stallscope.tracing.drain import Drain
from stallscope.tracing.instance import TraceInstance, open_instance, tracefs
from stallscope.tracing.ring_pages import RingEvent, ring_events

TRACE_FILE = "idle.csv"
_FIRST_COLUMNS = (
    "cpu,t_entry_ns,state,idle_ns,next_hrtimer_ns,next_nontick_hrtimer_ns,awake_ns,exit_ns,pid"
)


@dataclass(frozen=True, slots=True)
class IdleRecordingOptions:
    """What to keep of the intervals."""

    folder: Path
    cpus: frozenset[int]
    max_intervals: int  # in the trace file; histograms count all
    target_residency_ns: Sequence[int | None]  # by state, see IdleSummary


@dataclass(frozen=True, slots=True)
class IdleTracing:
    """What was traced, and what tracing cost."""

    summary: IdleSummary
    kept: int  # intervals in the trace file
    events: int
    lost_events: int | None  # None: the kernel did not report it
    discarded: int  # intervals
    seconds: float
    drain_cpu_s: float
    missing: tuple[str, ...]  # tracepoints
    estimates_io_waiters: bool  # whether the trace file has the column
    warnings: tuple[str, ...]


def record_idle(options: IdleRecordingOptions, run: Callable[[], None]) -> IdleTracing:
    """Return the idle intervals during ``run``, after the trace file is written.

    Raises UnableError if the user or the kernel has no tracepoints; ``run`` is then not called.
    """
    root = tracefs()
    tracepoints = find_tracepoints(root / "events")
    with ExitStack() as stack:
        instance = stack.enter_context(open_instance(root, tracepoints.filters))
        drain = Drain(instance, options.folder)
        stack.callback(drain.close)
        drain.start()
        begin_s = time.monotonic()
        instance.write("tracing_on", "1")
        try:
            run()
        finally:
            instance.write("tracing_on", "0")
            seconds = time.monotonic() - begin_s
            drain.finish()
        if drain.error:
            raise UnableError(
                f"cannot store the trace in {options.folder}: {drain.error.strerror}",
                "free some disk space there",
            )
        return assemble(options, tracepoints, drain=drain, instance=instance, seconds=seconds)


def assemble(
    options: IdleRecordingOptions,
    tracepoints: Tracepoints,
    *,
    drain: Drain,
    instance: TraceInstance,
    seconds: float,
) -> IdleTracing:
    """Write the trace file of the drained pages and return its summary; 10 us an interval."""
    builder = IntervalBuilder(tick_function())
    summary = IdleSummary(options.target_residency_ns)
    counter = _EventCounter()
    streams = [ring_events(file, cpu, drain.page_bytes) for cpu, file in drain.pages.items()]
    events = counter.through(in_time_order(streams))
    with_waiters = tracepoints.estimates_io_waiters
    with (options.folder / TRACE_FILE).open("x", encoding="utf-8") as trace:
        trace.write(f"{_FIRST_COLUMNS},{'iowaiters,' if with_waiters else ''}wake\n")
        for interval in build_intervals(events, tracepoints.handlers, builder):
            if interval.cpu in options.cpus:
                if summary.intervals < options.max_intervals:
                    trace.write(_row(interval, with_waiters=with_waiters))
                summary.add(interval)
    return IdleTracing(
        summary=summary,
        kept=min(summary.intervals, options.max_intervals),
        events=counter.events,
        lost_events=instance.lost_events(),
        discarded=builder.discarded,
        seconds=seconds,
        drain_cpu_s=drain.cpu_s,
        missing=tracepoints.missing,
        estimates_io_waiters=with_waiters,
        warnings=tuple(_warnings(builder, drain)),
    )


class _EventCounter:
    """Counts the events of an iterator."""

    def __init__(self) -> None:
        self.events = 0

    def through(self, events: Iterator[RingEvent]) -> Iterator[RingEvent]:
        for self.events, event in enumerate(events, 1):
            yield event


def _row(interval: IdleInterval, *, with_waiters: bool) -> str:
    awake_ns = "" if interval.awake_ns is None else interval.awake_ns
    exit_ns = "" if interval.exit_ns is None else interval.exit_ns
    waiters = f"{interval.io_waiters}," if with_waiters else ""
    return (
        f"{interval.cpu},{interval.t_entry_ns},{interval.state},{interval.idle_ns},"
        f"{interval.next_timer_ns},{interval.next_nontick_ns},"
        f"{awake_ns},{exit_ns},{interval.pid},{waiters}{interval.wake}\n"
    )


def _warnings(builder: IntervalBuilder, drain: Drain) -> Iterator[str]:
    if builder.tick_function is None:
        yield (
            "the tick's timer cannot be distinguished (/proc/kallsyms hides addresses): "
            "next_nontick_hrtimer_ns includes the tick"
        )
    if drain.full:
        yield "the trace reached its limit of 2 GiB: later events are lost"
