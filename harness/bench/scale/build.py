"""Builds the result: fits the models to the readings and applies the laws."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from harness.bench.scale.fits import Fits
from harness.bench.scale.laws import demands, little_checks, utilization_checks
from harness.bench.scale.options import FitOptions
from harness.bench.scale.readings import CountedReadings
from harness.bench.scale.result import (
    BenchScaleResult,
    Beside,
    CoefficientInterval,
    LawFit,
    ScalePoint,
    ThroughputBounds,
)
from harness.bench.scale.verdict import verdict, warnings
from stallscope.statistics.universal_scalability import Coefficient, ScalabilityFit


@dataclass(frozen=True, slots=True)
class Workload:
    """What was measured; ``cpus`` that the command could use, None for a table."""

    title: str
    unit: str
    cpus: int | None = None
    beside: Beside | None = None
    notes: tuple[str, ...] = ()


def scale_result(
    points: Sequence[CountedReadings], fits: Fits, options: FitOptions, workload: Workload
) -> BenchScaleResult:
    """Return the result of the points."""
    medians = [statistics.median(point.throughputs) for point in points]
    usl, amdahl = fits.usl, fits.amdahl
    little = tuple(little_checks(points, options.think_s))
    utilization = tuple(utilization_checks(points))
    growth = tuple(demands(points))
    answer, reason = verdict(usl, len(points), options.axis)
    checks = (("Little's law", little), ("The utilization law", utilization))
    return BenchScaleResult(
        title=workload.title,
        axis=options.axis,
        unit=workload.unit,
        source="table" if workload.cpus is None else "measured",
        points=tuple(_points(points, medians, usl)),
        amdahl=None if amdahl is None else _law(amdahl),
        usl=None if usl is None else _law(usl),
        verdict=answer,
        reason=reason,
        bounds=ThroughputBounds(
            linear_per_n=medians[0] / points[0].count,
            saturation=(
                workload.cpus / growth[0].demand_s
                if workload.cpus is not None and growth and growth[0].demand_s > 0
                else None
            ),
            cpus=workload.cpus,
        ),
        little=little,
        utilization=utilization,
        demands=growth,
        beside=workload.beside,
        warnings=(*workload.notes, *warnings(usl, points, checks, growth)),
    )


def _points(
    points: Sequence[CountedReadings], medians: Sequence[float], fit: ScalabilityFit | None
) -> list[ScalePoint]:
    single_thread = medians[0] / points[0].count
    return [
        ScalePoint(
            n=point.count,
            throughput=median,
            low=min(point.throughputs),
            high=max(point.throughputs),
            runs=len(point.readings),
            speed_up=median / single_thread,
            efficiency=median / single_thread / point.count,
            response_s=point.response_s,
            residual=None if fit is None else fit.residuals[place] / median,
        )
        for place, (point, median) in enumerate(zip(points, medians, strict=True))
    ]


def _law(fit: ScalabilityFit) -> LawFit:
    coefficients = {"lambda": fit.rate, "sigma": fit.sigma, "kappa": fit.kappa}
    return LawFit(
        sigma=fit.sigma.value,
        kappa=fit.kappa.value,
        rate=fit.rate.value,
        sigma_interval=_interval(fit.sigma),
        kappa_interval=_interval(fit.kappa),
        rate_interval=_interval(fit.rate),
        rate_fixed=fit.rate.fixed,
        at_bound=tuple(name for name, item in coefficients.items() if item.at_bound),
        peak=fit.peak,
        peak_throughput=fit.peak_throughput,
        limit=fit.limit,
        r_squared=fit.r_squared,
        degrees_of_freedom=fit.degrees_of_freedom,
    )


def _interval(item: Coefficient) -> CoefficientInterval:
    return CoefficientInterval(low=item.low, high=item.high, error=item.error)
