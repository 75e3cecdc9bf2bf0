"""A result of `bench scale` as a picture: points, both laws with bands, bounds, residuals."""

import numpy as np

from harness.bench.plots.scalability import (
    BoundLine,
    MeasuredPoint,
    ModelCurve,
    Scalability,
    scalability_picture,
)
from harness.bench.scale.fits import Fits
from harness.bench.scale.result import BenchScaleResult

_STEPS = 120
_BEYOND = 1.5  # the curves end at this multiple of the largest count, or at the peak
_MAX_BEYOND = 4.0


def scale_picture(result: BenchScaleResult, fits: Fits, file_format: str) -> bytes:
    """Return the picture as SVG or PNG."""
    last = result.points[-1].n
    peak = None if result.usl is None else result.usl.peak
    end = max(last * _BEYOND, min(1.2 * (peak or 0.0), last * _MAX_BEYOND))
    counts = np.geomspace(result.points[0].n, end, _STEPS)
    curves = []
    for name, fit in (("universal scalability law", fits.usl), ("Amdahl's law", fits.amdahl)):
        if fit is None:
            continue
        low, high = fit.band(counts) or ((), ())
        medians = np.array([point.throughput for point in result.points])
        curves.append(
            ModelCurve(
                name=name,
                counts=counts.tolist(),
                throughput=fit.throughput(counts).tolist(),
                low=list(low),
                high=list(high),
                residuals_percent=(100 * np.asarray(fit.residuals) / medians).tolist(),
            )
        )
    return scalability_picture(
        Scalability(
            points=[
                MeasuredPoint(point.n, point.throughput, point.low, point.high)
                for point in result.points
            ],
            curves=curves,
            bounds=list(_bounds(result, counts.tolist())),
            count_label=result.axis,
            throughput_label=result.unit,
            title=f"{result.title} ({result.source})",
            peak=peak if peak is not None and peak <= end else None,
        ),
        file_format,
    )


def _bounds(result: BenchScaleResult, counts: list[float]) -> list[BoundLine]:
    rate = result.bounds.linear_per_n
    lines = [BoundLine("linear", counts, [rate * count for count in counts])]
    saturation, name = result.bounds.saturation, "saturated CPUs"
    if saturation is None and result.usl is not None:
        saturation, name = result.usl.limit, "limit of contention"
    highest = max(point.high for point in result.points)
    if saturation is not None and saturation < 3 * highest:
        lines.append(BoundLine(name, [counts[0], counts[-1]], [saturation] * 2))
    return lines
