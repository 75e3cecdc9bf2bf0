"""Invented runs of the scale lab, whose results are known."""

from harness.labs.scale.measurement import ScaleMeasurement, ScaleRun, run_order
from harness.labs.scale.options import LabScaleOptions, LoadPoint, ScaleAxis
from tests.harness.labs.stages.measurements import CORES

OPTIONS = LabScaleOptions("kv", connections=(1, 2, 4), threads=(1, 2), rounds=3)


def measurement(loader_limit: str = "") -> ScaleMeasurement:
    runs = tuple(
        ScaleRun(point, 1_000.0 * point.n + number, loader_limit)
        for number, point in run_order(OPTIONS)
    )
    shared = frozenset({LoadPoint(ScaleAxis.THREADS, 2)})
    return ScaleMeasurement(OPTIONS, CORES, runs, shared, interrupted=False)
