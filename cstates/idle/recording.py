"""Recording idle intervals: a private trace instance around something that runs."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from cstates.idle.intervals import IdleInterval, IntervalBuilder, in_order, intervals
from cstates.idle.summary import IdleSummary
from cstates.idle.tracepoints import Tracepoints, find_tracepoints, tick_function
from stallscope.errors import UnableError
from stallscope.tracing.drain import Drain
from stallscope.tracing.instance import TraceInstance, open_instance, tracefs
from stallscope.tracing.ring_pages import RingEvent, ring_events

TRACE = "idle.csv"
HEAD = (
    "cpu,t_entry_ns,state,idle_ns,next_hrtimer_ns,next_nontick_hrtimer_ns,"
    "awake_ns,exit_ns,pid,wake\n"
)


@dataclass(frozen=True, slots=True)
class IdleRequest:
    """What to keep."""

    folder: Path
    cpus: frozenset[int]
    most_intervals: int  # in the trace; histograms hold them all
    target_residency_ns: Sequence[int | None]  # by state, as IdleSummary takes it


@dataclass(frozen=True, slots=True)
class IdleOutcome:
    """What was recorded, and what it took."""

    summary: IdleSummary
    kept: int  # intervals in the trace
    events: int
    lost_events: int | None  # None: the kernel did not tell
    discarded: int  # intervals
    seconds: float
    drain_cpu_s: float
    missing: tuple[str, ...]  # tracepoints
    warnings: tuple[str, ...]


def record_idle(request: IdleRequest, run: Callable[[], None]) -> IdleOutcome:
    """Return the idle intervals during ``run``, once they are written.

    Raises UnableError where this user or kernel has no tracepoints; ``run`` was not called then.
    """
    root = tracefs()
    points = find_tracepoints(root / "events")
    with ExitStack() as stack:
        instance = stack.enter_context(open_instance(root, points.filters))
        drain = Drain(instance, request.folder)
        stack.callback(drain.close)
        drain.start()
        began_s = time.monotonic()
        instance.write("tracing_on", "1")
        try:
            run()
        finally:
            instance.write("tracing_on", "0")
            seconds = time.monotonic() - began_s
            drain.finish()
        if drain.error:
            raise UnableError(
                f"the trace could not be kept: {drain.error.strerror}", "free some space there"
            )
        return put_together(request, points, drain=drain, instance=instance, seconds=seconds)


def put_together(
    request: IdleRequest,
    points: Tracepoints,
    *,
    drain: Drain,
    instance: TraceInstance,
    seconds: float,
) -> IdleOutcome:
    """Return what the drained pages hold, once its trace is written; some 10 us an interval."""
    builder = IntervalBuilder(tick_function())
    summary = IdleSummary(request.target_residency_ns)
    counted = _Counted()
    streams = [ring_events(file, cpu, drain.page_bytes) for cpu, file in drain.pages.items()]
    events = counted.through(in_order(streams))
    with (request.folder / TRACE).open("x", encoding="utf-8") as trace:
        trace.write(HEAD)
        for interval in intervals(events, points.handlers, builder):
            if interval.cpu in request.cpus:
                if summary.intervals < request.most_intervals:
                    trace.write(_row(interval))
                summary.take(interval)
    return IdleOutcome(
        summary=summary,
        kept=min(summary.intervals, request.most_intervals),
        events=counted.events,
        lost_events=instance.lost_events(),
        discarded=builder.discarded,
        seconds=seconds,
        drain_cpu_s=drain.cpu_s,
        missing=points.missing,
        warnings=tuple(_warnings(builder, drain)),
    )


class _Counted:
    """Counts events on their way."""

    def __init__(self) -> None:
        self.events = 0

    def through(self, events: Iterator[RingEvent]) -> Iterator[RingEvent]:
        for self.events, event in enumerate(events, 1):
            yield event


def _row(interval: IdleInterval) -> str:
    awake = "" if interval.awake_ns is None else interval.awake_ns
    exits = "" if interval.exit_ns is None else interval.exit_ns
    return (
        f"{interval.cpu},{interval.t_entry_ns},{interval.state},{interval.idle_ns},"
        f"{interval.next_timer_ns},{interval.next_nontick_ns},"
        f"{awake},{exits},{interval.pid},{interval.wake}\n"
    )


def _warnings(builder: IntervalBuilder, drain: Drain) -> Iterator[str]:
    if builder.tick_function is None:
        yield (
            "the tick's timer could not be told from others (/proc/kallsyms hides addresses): "
            "next_nontick_hrtimer_ns counts it, too"
        )
    if drain.full:
        yield "the trace took 2 GiB: what came later is lost"
