"""Readings of a read/write matrix, measured by the disk engine."""

from ioprobe.engine.points import Point, PointResult
from ioprobe.engine.runner import EngineRunner
from ioprobe.mix.cells import CellReading
from ioprobe.mix.plan import MixStep


def engine_reading(runner: EngineRunner, step: MixStep) -> CellReading | None:
    """Return the reading of a step; None if no request completed."""
    point = Point(
        id="cell",
        depth=step.depth,
        block_bytes=step.block_bytes,
        pattern=step.pattern,
        read_share=step.read_share,
        rate_per_s=step.rate_per_s,
        warmup_s=step.warmup_s,
        duration_s=step.duration_s,
        seed=step.seed,
    )
    results = [result for result in runner.results([point]) if result.requests]
    return cell_reading(results[0]) if results else None


def cell_reading(result: PointResult) -> CellReading:
    """Return the reading of a point whose window has a length."""
    assert result.iops is not None
    assert result.bytes_per_s is not None
    return CellReading(
        result.iops,
        result.bytes_per_s,
        result.read_latency_ns,
        result.write_latency_ns,
        result.self_check.failed,
    )
