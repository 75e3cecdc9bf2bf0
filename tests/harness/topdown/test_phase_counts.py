"""Events that are counted in the measured interval of a load."""

from pathlib import Path

import pytest

from harness.topdown.phase_counts import SOFTWARE, EventCount, PhaseCounts, phase_events
from stallscope.errors import UsageError
from stallscope.system_files import Roots
from topdown.slots.measurement import Kind

WITHOUT_PMU = Roots.recorded(Path(__file__).parents[2] / "machines" / "vm-without-pmu")


def test_software_events_are_counted_without_a_pmu() -> None:
    events = phase_events((), WITHOUT_PMU)
    assert events.unavailable
    (group,) = events.plan.sets
    assert group.events == tuple(SOFTWARE)
    assert phase_events(("page-faults",), WITHOUT_PMU).plan.events == events.plan.events


def test_an_unknown_event_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        phase_events(("no such event",), WITHOUT_PMU)


def test_an_event_without_a_count_is_none_and_not_zero() -> None:
    missing = EventCount(event="LLC-misses", kind=Kind.UNAVAILABLE, reason="not on this CPU")
    clock = EventCount(event="task-clock", kind=Kind.MEASURED, count=0.0)
    counts = PhaseCounts(seconds=1.0, late_us=0.0, events=(missing, clock), ipc=None, slots=())
    assert counts.count("task-clock") == 0
    assert counts.count("LLC-misses") is None
    assert counts.count("other") is None
