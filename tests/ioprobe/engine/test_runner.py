"""Which runs of the engine count."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ioprobe.engine import runner
from ioprobe.engine.points import EngineEnd, EngineEvent, EngineFacts, Point, PointResult
from stallscope.errors import UnableError
from tests.ioprobe.engine.test_points import FIELDS

FACTS = EngineFacts("modelled", None, None, direct=True)
RESULT = PointResult(**FIELDS | {"point": Point("a", duration_s=2.0)})


def results(
    monkeypatch: pytest.MonkeyPatch, *events: EngineEvent
) -> tuple[runner.EngineRunner, list[PointResult]]:
    """Return the runner and the results that it yields for an engine's events."""
    target: Any = SimpleNamespace(path="/srv")
    monkeypatch.setattr(runner, "measure_points", lambda *_, **__: iter(events))
    measured = runner.EngineRunner(target)
    return measured, list(measured.results([Point("a")]))


def test_facts_engines_and_notes_are_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    noted = replace(RESULT, notes=("slow",))
    measured, yielded = results(monkeypatch, FACTS, noted, noted, EngineEnd(interrupted=False))
    assert yielded == [noted, noted]
    assert (measured.facts, measured.engines, list(measured.notes)) == (
        FACTS,
        {"simulated"},
        ["slow"],
    )


@pytest.mark.parametrize(("seconds", "count"), [(0.9, 0), (1.0, 1)])
def test_an_interrupted_run_counts_if_half_of_it_was_measured(
    monkeypatch: pytest.MonkeyPatch, seconds: float, count: int
) -> None:
    half = replace(RESULT, seconds=seconds, interrupted=True)
    assert len(results(monkeypatch, half)[1]) == count
    with pytest.raises(KeyboardInterrupt):
        results(monkeypatch, half, EngineEnd(interrupted=True))


def test_a_run_without_a_window_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert results(monkeypatch, replace(RESULT, iops=None))[1] == []


def test_a_disk_that_fails_every_request_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnableError, match="/srv: every request failed: 1,200 x EIO"):
        results(monkeypatch, replace(RESULT, requests=0, errors={"EIO": 1200}))
