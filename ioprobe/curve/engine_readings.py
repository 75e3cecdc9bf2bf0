"""Readings of a response curve, measured by the disk engine."""

from collections.abc import Iterator, Sequence

from ioprobe.curve.plan import CurveRequests, CurveStep
from ioprobe.curve.readings import DepthReading
from ioprobe.engine.points import Point, PointResult
from ioprobe.engine.runner import EngineRunner


def engine_readings(
    runner: EngineRunner, requests: CurveRequests, steps: Sequence[CurveStep]
) -> Iterator[DepthReading]:
    """Yield a reading for each step, all measured by one run of the engine."""
    points = [
        Point(
            id=f"{index}: depth {step.depth}",
            depth=step.depth,
            block_bytes=requests.block_bytes,
            pattern=requests.pattern,
            read_share=0.0 if requests.kind == "writes" else 1.0,
            warmup_s=step.warmup_s,
            duration_s=step.duration_s,
            seed=step.seed,
        )
        for index, step in enumerate(steps)
    ]
    for result in runner.results(points):
        yield curve_reading(result)


def curve_reading(result: PointResult) -> DepthReading:
    """Return the reading of a point whose window has a length."""
    check = result.self_check
    assert result.iops is not None
    return DepthReading(
        depth=result.point.depth,
        number=0,
        seconds=result.seconds,
        iops=result.iops,
        latency=result.latency_ns,
        buckets=result.histogram,
        series=result.series,
        littles_law_error=check.littles_law_error,
        cpu_delay_share=check.cpu_delay_share,
        failed=check.failed,
    )
