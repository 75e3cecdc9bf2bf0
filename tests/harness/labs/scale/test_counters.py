"""Counts per request and per thread, and their growth by threads."""

import pytest

from harness.labs.scale.counter_table import counter_lines, unavailable_events
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


def test_growth_is_of_the_count_per_request_against_the_first_point() -> None:
    one, eight = points_of((1, 1000, phase(2000.0)), (8, 4000, phase(16_000.0)))
    assert [item.growth for item in one.events] == [1.0, 1.0]
    clock, misses = eight.events
    assert clock.growth == pytest.approx(0.25)
    assert (misses.per_request, misses.per_thread, misses.growth) == (4.0, 2000.0, 2.0)
    assert [item.grows for item in eight.events] == [False, True]


def test_an_event_without_a_count_has_no_growth() -> None:
    one, _ = points_of((1, 1000, phase(None)), (8, 1000, phase(10.0)))
    assert one.events[1].per_request is None
    assert points_of((1, 1000, phase(0.0)), (8, 1000, phase(9e9)))[1].events[1].growth is None


def test_a_run_without_requests_has_no_counts_per_request() -> None:
    (point,) = points_of((1, 0, phase(5.0)))
    assert [item.per_request for item in point.events] == [None, None]


def test_the_table_marks_growth_and_shows_the_ipc() -> None:
    points = points_of((1, 1000, phase(2000.0, 1.5)), (8, 4000, phase(16_000.0, 0.5)))
    text = "\n".join(counter_lines(points))
    assert "counters by threads" in text
    assert "4 !2.00x" in text
    assert "L3 misses" in text
    assert text.split("IPC")[1].split()[:2] == ["1.50", "0.50"]
    assert text.split("retiring")[1].split()[:2] == ["0.25", "0.25"]


def test_unavailable_events_have_their_reason() -> None:
    points = points_of((1, 1000, phase(None)))
    assert "L3 misses" not in "\n".join(counter_lines(points))
    assert list(unavailable_events(points)) == ["LLC-misses is unavailable: not on this CPU"]
    assert list(unavailable_events([])) == list(counter_lines([])) == []
