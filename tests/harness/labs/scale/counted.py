"""Counters at known numbers of threads."""

from harness.labs.scale.counters import CountedPoint, CountedRun, counted_points
from harness.labs.scale.options import LoadPoint, ScaleAxis
from harness.topdown.phase_counts import EventCount, PhaseCounts, SlotShare
from topdown.slots.measurement import Kind


def phase(misses: float | None, ipc: float | None = None) -> PhaseCounts:
    events = [EventCount(event="task-clock", kind=Kind.MEASURED, count=2e9)]
    if misses is None:
        missing = EventCount(event="LLC-misses", kind=Kind.UNAVAILABLE, reason="not on this CPU")
        events.append(missing)
    else:
        events.append(EventCount(event="LLC-misses", kind=Kind.MEASURED, count=misses))
    slots = () if ipc is None else (SlotShare(name="retiring", share=0.25),)
    return PhaseCounts(seconds=2.0, late_us=3.0, events=tuple(events), ipc=ipc, slots=slots)


def points_of(*runs: tuple[int, int, PhaseCounts]) -> list[CountedPoint]:
    counted = tuple(
        CountedRun(LoadPoint(ScaleAxis.THREADS, n), requests, counts, {"LLC-misses": "L3 misses"})
        for n, requests, counts in runs
    )
    return list(counted_points(counted, {run.point: run.point.n for run in counted}))
