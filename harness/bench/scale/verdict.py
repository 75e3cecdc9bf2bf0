"""The verdict on how throughput grows, and the reasons to doubt it."""

from collections.abc import Iterator, Sequence

from harness.bench.scale.laws import TOLERANCE, DemandPoint, LawCheck
from harness.bench.scale.readings import CountedReadings
from harness.bench.scale.result import ScaleVerdict
from stallscope.statistics.universal_scalability import MIN_POINTS, ScalabilityFit

_DEMAND_GROWTH = 1.25
_SUPERLINEAR = 1.05
_LARGE_RESIDUAL = 0.1
_CONSTANT_SIGMA = 0.5  # the interval of a constant throughput's sigma excludes smaller values


def verdict(fit: ScalabilityFit | None, points: int, axis: str) -> tuple[ScaleVerdict, str]:
    """Return the verdict on a fit of the universal scalability law, and its reason."""
    if fit is None or points < MIN_POINTS:
        reason = f"{points} counts of {axis} were measured; a verdict needs {MIN_POINTS}"
        return ScaleVerdict.TOO_FEW_POINTS, reason
    sigma, kappa, peak = fit.sigma, fit.kappa, fit.peak
    if _contains(sigma.low, 1, sigma.high) and (sigma.low or 0) > _CONSTANT_SIGMA:
        return ScaleVerdict.CONSTANT, f"throughput does not depend on the number of {axis}"
    if kappa.low is not None and kappa.low > 0 and peak is not None:
        height = fit.peak_throughput
        return ScaleVerdict.RETROGRADE, f"throughput peaks at {peak:.4g} {axis} with {height:,.5g}"
    reason = (
        "kappa is 0: no loss for coherence"
        if kappa.value == 0
        else "the interval of kappa contains 0"
    )
    if (sigma.low or 0) <= 0 and sigma.value < 1e-3:
        return ScaleVerdict.LINEAR, f"throughput grows with the number of {axis}; {reason}"
    limit = "" if fit.limit is None else f"; contention limits throughput to {fit.limit:,.4g}"
    return ScaleVerdict.NO_RETROGRADE, reason + limit


def warnings(
    fit: ScalabilityFit | None,
    points: Sequence[CountedReadings],
    checks: Sequence[tuple[str, Sequence[LawCheck]]],
    demands: Sequence[DemandPoint],
) -> Iterator[str]:
    """Yield the reasons to doubt the models, and what the laws show."""
    if len(points) < MIN_POINTS:
        yield f"{len(points)} points: intervals and peak of a fit need at least {MIN_POINTS}."
    if any(len(point.readings) < 3 for point in points) and any(
        len(point.readings) > 1 for point in points
    ):
        yield "Some counts have fewer than 3 runs: their range is not meaningful."
    first = points[0]
    rate = _median(first.throughputs) / first.count
    above = [
        point.count
        for point in points[1:]
        if _median(point.throughputs) > _SUPERLINEAR * rate * point.count
    ]
    if above:
        yield (
            f"Growth is more than linear up to {above[-1]:g}: neither law describes it. Caches "
            "that together hold more, or a slow first point, are usual causes."
        )
    if fit is not None:
        yield from _fit_warnings(fit, points)
    for name, rows in checks:
        broken = [f"{row.n:g}" for row in rows if not row.holds]
        if broken:
            yield (
                f"{name} is off by more than {100 * TOLERANCE:g} % at {', '.join(broken)}: "
                "the measured values contradict each other."
            )
    grown = [row for row in demands if row.growth is not None and row.growth > _DEMAND_GROWTH]
    if grown:
        row = grown[-1]
        yield f"CPU time per operation is {row.growth:.2f} times that of one at {row.n:g}."


def _fit_warnings(fit: ScalabilityFit, points: Sequence[CountedReadings]) -> Iterator[str]:
    last = points[-1].count
    if fit.peak is not None and (fit.kappa.low or 0) > 0 and fit.peak > last:
        yield f"The peak at {fit.peak:.4g} is beyond the largest count measured, {last:g}."
    relative = [
        abs(residual) / _median(point.throughputs)
        for residual, point in zip(fit.residuals, points, strict=True)
    ]
    worst = max(range(len(points)), key=relative.__getitem__)
    if relative[worst] > _LARGE_RESIDUAL:
        yield (
            f"The law is off by {100 * relative[worst]:.0f} % at {points[worst].count:g}: it may "
            "not describe this system."
        )


def _median(values: Sequence[float]) -> float:
    import statistics  # noqa: PLC0415 - start-up stays light

    return statistics.median(values)


def _contains(low: float | None, value: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= value + 1e-9 and high >= value - 1e-9
