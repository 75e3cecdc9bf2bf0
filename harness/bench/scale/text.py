"""A result of `bench scale` for the terminal, and as CSV."""

from collections.abc import Iterator

from harness.bench.scale.laws import LawCheck
from harness.bench.scale.result import BenchScaleResult, Beside, LawFit, ScaleVerdict
from harness.cli.table import columns
from harness.cli.terminal import percent, printable, wrapped

CSV_HEAD = "N,X,X_low,X_high,runs,speed_up,efficiency,R,residual"
HEADS = ("X", "Low to high", "Runs", "Speed-up", "Efficiency", "R, s", "Residual")


def lines(result: BenchScaleResult, width: int) -> Iterator[str]:
    """Yield verdict, points, models, laws and warnings."""
    yield from wrapped(f"{result.title}: {result.unit} by {result.axis} ({result.source})", width)
    yield ""
    yield from wrapped(verdict_text(result), width)
    yield ""
    yield from columns([(result.axis, *HEADS), *point_cells(result)])
    yield ""
    for name, fit in (("Universal scalability law", result.usl), ("Amdahl's law", result.amdahl)):
        yield from _law_lines(name, fit)
    yield from wrapped(bounds_text(result), width, "  ")
    if result.little or result.utilization:
        yield ""
        yield from columns([("", "N", "Measured", "By the law", ""), *law_cells(result)])
    if result.demands:
        yield ""
        yield from columns(demand_cells(result))
    if result.beside is not None:
        yield ""
        yield from columns(beside_cells(result.beside))
    if result.warnings:
        yield ""
    for warning in result.warnings:
        yield from wrapped(warning, width, "  ")


def verdict_text(result: BenchScaleResult) -> str:
    """Return the verdict with its reason."""
    if result.verdict is ScaleVerdict.TOO_FEW_POINTS:
        return f"No verdict: {result.reason}."
    return f"{result.verdict.capitalize()}: {result.reason}."


def point_cells(result: BenchScaleResult) -> list[tuple[str, ...]]:
    """Return a row of cells per point."""
    return [
        (
            f"{point.n:g}",
            f"{point.throughput:,.5g}",
            f"{point.low:,.5g} to {point.high:,.5g}",
            str(point.runs),
            f"{point.speed_up:.2f}",
            percent(point.efficiency),
            "n/a" if point.response_s is None else f"{point.response_s:.3g}",
            "n/a" if point.residual is None else f"{100 * point.residual:+.1f} %",
        )
        for point in result.points
    ]


def law_texts(fit: LawFit) -> list[tuple[str, str]]:
    """Return the coefficients with intervals, peak and limit, as names and texts."""
    rows = []
    for name, value, interval in (
        ("lambda", fit.rate, fit.rate_interval),
        ("sigma", fit.sigma, fit.sigma_interval),
        ("kappa", fit.kappa, fit.kappa_interval),
    ):
        text = f"{value:.5g}"
        if interval.low is not None and interval.high is not None:
            text += f" ({interval.low:.4g} to {interval.high:.4g})"
        if name in fit.at_bound:
            text += ", at its bound"
        if name == "lambda" and fit.rate_fixed:
            text += ", fixed"
        rows.append((name, text))
    peak = "none"
    if fit.peak is not None and fit.peak_throughput is not None:
        peak = f"{fit.peak:.4g} with {fit.peak_throughput:,.5g}"
    rows.append(("peak", peak))
    rows.append(("limit", "none" if fit.limit is None else f"{fit.limit:,.5g}"))
    return rows


def _law_lines(name: str, fit: LawFit | None) -> Iterator[str]:
    if fit is None:
        yield f"{name}: not fitted, too few counts"
        return
    freedom = fit.degrees_of_freedom
    note = f"95 % intervals, df {freedom}" if freedom > 0 else "no interval: df 0"
    yield f"{name} ({note})"
    for label, text in law_texts(fit):
        if not (label == "kappa" and name.startswith("Amdahl")) and not (
            label == "peak" and name.startswith("Amdahl")
        ):
            yield f"  {label:<7} {text}"


def bounds_text(result: BenchScaleResult) -> str:
    """Return the bounds of throughput."""
    bounds = result.bounds
    text = f"Bounds: linear {bounds.linear_per_n:,.5g} per count"
    if bounds.saturation is not None:
        text += f"; {bounds.cpus:g} CPUs are saturated at {bounds.saturation:,.5g}"
    return text + "."


def law_cells(result: BenchScaleResult) -> list[tuple[str, ...]]:
    """Return a row of cells per check of a law."""
    return [
        *_check_cells("Little: N = X (R + Z)", result.little),
        *_check_cells("Utilization: U = X D", result.utilization),
    ]


def _check_cells(name: str, checks: tuple[LawCheck, ...]) -> Iterator[tuple[str, ...]]:
    for check in checks:
        yield (
            name,
            f"{check.n:g}",
            f"{check.measured:.4g}",
            f"{check.predicted:.4g}",
            "holds" if check.holds else "off",
        )


def demand_cells(result: BenchScaleResult) -> list[tuple[str, ...]]:
    """Return the table of CPU time per operation."""
    rows: list[tuple[str, ...]] = [(result.axis, "Busy CPUs", "CPU s per operation", "Growth")]
    for row in result.demands:
        growth = "n/a" if row.growth is None else f"{row.growth:.2f}"
        rows.append((f"{row.n:g}", f"{row.busy:.2f}", f"{row.demand_s:.4g}", growth))
    return rows


def beside_cells(beside: Beside) -> list[tuple[str, ...]]:
    """Return thread states and counters by count."""
    rows: list[tuple[str, ...]] = [("Recorded at", *(f"{count:g}" for count in beside.counts))]
    for row in (*beside.states, *beside.counters):
        cells = (_value_text(value, row.unit) for value in row.values)
        rows.append((printable(row.name), *cells))
    return rows


def _value_text(value: float | None, unit: str) -> str:
    if value is None:
        return "n/a"
    return percent(value) if unit == "share" else f"{value:,.4g} {unit}".rstrip()


def csv_lines(result: BenchScaleResult) -> Iterator[str]:
    """Yield the lines of a CSV file, which `bench scale` reads again."""
    yield CSV_HEAD
    for point in result.points:
        response = "" if point.response_s is None else f"{point.response_s:.6g}"
        residual = "" if point.residual is None else f"{point.residual:.4g}"
        yield (
            f"{point.n:g},{point.throughput:.10g},{point.low:.10g},{point.high:.10g},{point.runs},"
            f"{point.speed_up:.6g},{point.efficiency:.6g},{response},{residual}"
        )
