"""Readings of a read/write matrix by the engine, on a simulated disk."""

import pytest

from ioprobe.engine.runner import EngineRunner
from ioprobe.mix.engine_readings import engine_reading
from ioprobe.mix.plan import MixStep
from tests.ioprobe.engine_target import Target


def step(read_share: float, rate_per_s: float | None) -> MixStep:
    return MixStep(4096, 8, read_share, rate_per_s, 0.1, 0.5, seed=1)


def runner() -> EngineRunner:
    return EngineRunner(Target(writable=True))  # type: ignore[arg-type]


def test_a_closed_loop_reaches_the_rate_of_the_disk() -> None:
    reading = engine_reading(runner(), step(1.0, None))
    assert reading is not None
    assert reading.iops == pytest.approx(8000, rel=0.02)
    assert reading.bytes_per_s == pytest.approx(4096 * reading.iops)
    assert reading.writes is None


def test_an_open_loop_keeps_its_rate_in_both_directions() -> None:
    reading = engine_reading(runner(), step(0.5, 1000.0))
    assert reading is not None
    assert reading.iops == pytest.approx(1000, rel=0.1)
    assert reading.reads is not None
    assert reading.writes is not None
