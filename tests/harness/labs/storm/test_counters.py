"""Counters of storms: which runs they belong to, and reasons if there are none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from harness.labs.storm import counters as storm_counters
from harness.labs.storm.counters import StormCounters
from harness.topdown.phase_counts import EventCount, PhaseCounts
from ioprobe.storm import StormRun, StormSetting
from stallscope.errors import UnableError
from topdown.slots.measurement import Kind

RUNS = (
    StormRun("a", 0, StormSetting(8, None), 0.0, 1.0),
    StormRun("b", 0, StormSetting(None, None), 0.0, 1.0),
)
UNAVAILABLE = "no PMU"


def counts(clock_ns: float) -> PhaseCounts:
    clock = EventCount(event="task-clock", kind=Kind.MEASURED, count=clock_ns)
    missing = EventCount(event="cycles", kind=Kind.UNAVAILABLE, reason=UNAVAILABLE)
    return PhaseCounts(
        seconds=2.0, late_us=1.0, events=(clock, missing), ipc=None, slots=(),
        unavailable=UNAVAILABLE,
    )  # fmt: skip


class FakeCounting:
    marks = 7

    def finish(self) -> list[PhaseCounts]:
        return [counts(1e9), counts(2e9)]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The arguments of all countings, which are invented."""
    calls: list[tuple[Any, ...]] = []

    @contextmanager
    def counted(*arguments: Any) -> Iterator[FakeCounting]:
        calls.append(arguments)
        yield FakeCounting()

    monkeypatch.setattr(storm_counters, "counted_phases", counted)
    monkeypatch.setattr(storm_counters, "phase_events", lambda: "events")
    return calls


def test_each_run_of_the_program_has_the_counts_of_its_phase(counting: list[Any]) -> None:
    counters = StormCounters()
    with counters.of_program(RUNS) as observer:
        observer.start(42)
    assert [call[1] for call in counting] == [(42,)]
    assert [item.count("task-clock") for item in counters.by_setting.values()] == [1e9, 2e9]
    assert len(counters.by_setting) == 2


def test_a_storm_that_ended_early_has_no_counts(counting: list[Any]) -> None:
    counters = StormCounters()
    with counters.of_program(RUNS[:1]) as observer:
        observer.start(42)
    assert counters.by_setting == {}
    assert counters.warnings() == []


def test_a_refused_counting_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise UnableError("perf events are refused", "")

    monkeypatch.setattr(storm_counters, "phase_events", refuse)
    counters = StormCounters()
    for run in RUNS:
        with counters.of_server(run, 42) as marks:
            assert marks is None
    assert counters.warnings() == ["not counted: perf events are refused"]
