"""Readings of a curve by the engine, on a simulated disk whose results are exact."""

import pytest

from ioprobe.curve.engine_readings import engine_readings
from ioprobe.curve.plan import CurveRequests, CurveStep
from ioprobe.engine.runner import EngineRunner
from tests.ioprobe.engine_target import Target

REQUESTS = CurveRequests(block_bytes=4096, pattern="random", kind="reads")


def test_each_step_has_a_reading_in_its_order() -> None:
    steps = [CurveStep(depth, 0.1, 0.5, seed=1) for depth in (4, 16)]
    readings = list(engine_readings(EngineRunner(Target()), REQUESTS, steps))  # type: ignore[arg-type]
    assert [reading.depth for reading in readings] == [4, 16]
    # Eight servers of 1 ms: four requests are served at once, sixteen wait twice as long.
    assert [reading.iops for reading in readings] == pytest.approx([4000, 8000], rel=0.02)
    latencies = [reading.latency.p50 for reading in readings if reading.latency]
    assert latencies == pytest.approx([1e6, 2e6], rel=0.02)
    assert not any(reading.failed for reading in readings)


def test_a_curve_of_writes_writes_only() -> None:
    requests = CurveRequests(block_bytes=4096, pattern="sequential", kind="writes")
    runner = EngineRunner(Target(writable=True))  # type: ignore[arg-type]
    [reading] = engine_readings(runner, requests, [CurveStep(8, 0.0, 0.2, seed=1)])
    assert reading.iops == pytest.approx(8000, rel=0.02)
