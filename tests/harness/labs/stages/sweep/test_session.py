"""The order of a sweep's points, with a stand-in for the server."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.labs.stages.measurement import StagesReading
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import LoadLevel
from harness.labs.stages.rounds import StagesSetup
from harness.labs.stages.sweep import session
from harness.labs.stages.sweep.result import sweep_result
from tests.harness.labs.stages.measurements import CORES
from tests.harness.labs.stages.sweep.sweeps import MISSES, point

GAINS = {8: 1.0, 64: 1.6, 2048: 1.3}


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int | None, int | None]]:
    """The measured points, as footprint and batch limit."""
    measured: list[tuple[int | None, int | None]] = []

    def rounds(
        setup: StagesSetup,
        loads: Sequence[LoadLevel],
        *,
        capacity_per_s: float | None,
        on_reading: Callable[[StagesReading], None],
    ) -> None:
        footprint = setup.options.footprint_kb
        measured.append((footprint, setup.options.max_batch))
        for reading in point(setup.options, GAINS[footprint or 0]).readings:
            on_reading(reading)

    monkeypatch.setattr(session, "measure_rounds", rounds)
    monkeypatch.setattr(session, "two_cores", lambda *_: CORES)
    monkeypatch.setattr(session, "usable_cpus", lambda _: frozenset((0, 1)))
    monkeypatch.setattr(session, "generate_path_requests", lambda *_: None)
    monkeypatch.setattr(session, "replay_sides", lambda _: MISSES)
    return measured


def run(folder: Path, **values: Any) -> session.SweepMeasurement:
    options = StagesOptions("codec", folder / "sweep")
    return session.measure_sweep(
        options, None, footprints_kb=tuple(GAINS), batch_limits=(1, 64), **values
    )


def test_batch_limits_are_measured_at_the_best_footprint(
    points: list[tuple[int | None, int | None]], tmp_path: Path
) -> None:
    sweep = run(tmp_path)
    assert points == [(8, None), (64, None), (2048, None), (64, 1), (64, 64)]
    result = sweep_result(sweep)
    assert session.write_results(sweep, result) == tmp_path / "sweep" / "report.html"
    assert (tmp_path / "sweep" / "sweep.json").is_file()


def test_an_interruption_keeps_complete_points(
    points: list[tuple[int | None, int | None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(setup: StagesSetup) -> Any:
        if setup.options.footprint_kb == 64:
            raise KeyboardInterrupt
        return MISSES

    monkeypatch.setattr(session, "replay_sides", interrupt)
    sweep = run(tmp_path)
    assert sweep.interrupted
    assert [lab.options.footprint_kb for lab in sweep.footprints] == [8]
