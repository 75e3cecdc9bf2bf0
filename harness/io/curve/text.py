"""A response curve for a terminal: a row per depth with a bar, the named depths, the findings."""

from collections.abc import Iterator

from harness.cli.table import fitting_rows
from harness.cli.terminal import printable, wrapped
from harness.io.curve.result import CurvePoint, CurveResult, named_depths
from harness.recordings.results import facts_text
from stallscope.quantities import value_text

HEADS = ("Depth", "Requests/s", "min-max", "mean", "p50", "p99", "p99.9", "max")
_OPTIONAL = ("min-max", "mean", "p99.9")  # left out in this order on a narrow terminal
BLOCK = "\u2588"
_LONGEST_BAR, _SHORTEST_BAR = 24, 6


def lines(result: CurveResult, width: int) -> Iterator[str]:
    """Yield the table, the named depths and the findings."""
    yield from wrapped(f"{result.title}: {result.requests.text}, {result.source}", width)
    facts = facts_text(result.facts)
    yield from wrapped(facts, width, "  ") if facts else ()
    if not result.complete:
        yield "interrupted: results up to that moment"
    yield ""
    yield from _table(result, width)
    yield from _masked(result, width)
    yield ""
    for named in named_depths(result):
        depth = "none" if named.depth is None else f"{named.depth}"
        yield from wrapped(f"{named.name:16}{depth:>5}  {named.text}", width, " " * 23)
    yield ""
    for finding in result.findings:
        yield from wrapped(f"{finding.verdict}: {finding.text}", width, "  ")
    for warning in result.warnings:
        yield from wrapped(f"note: {warning}", width, "  ")


def _table(result: CurveResult, width: int) -> Iterator[str]:
    names = [", ".join(result.names_of(point.depth)) for point in result.points]
    names_width = max(map(len, names), default=0) + 4
    cells = [HEADS, *map(point_cells, result.points)]
    rows = fitting_rows(cells, width - names_width, _OPTIONAL)
    rows_width = max(map(len, rows))
    bars = _bars(result, min(_LONGEST_BAR, width - rows_width - names_width))
    for row, bar, name in zip(rows, ["", *bars], ["", *names], strict=True):
        yield f"{row:{rows_width}}  {bar}{name}".rstrip()


def point_cells(point: CurvePoint) -> tuple[str, ...]:
    """Return the texts of a depth under ``HEADS``."""
    latency = point.latency_ns
    if point.iops is None or latency is None:
        return (str(point.depth), "masked", *[""] * (len(HEADS) - 2))
    times_ns = (latency.mean, latency.p50, latency.p99, latency.p999, latency.max)
    return (
        str(point.depth),
        f"{point.iops:,.0f}",
        f"{_rate(point.iops_min)}-{_rate(point.iops_max)}",
        *(value_text(round(time_ns), "ns") for time_ns in times_ns),
    )


def _rate(iops: float | None) -> str:
    return "n/a" if iops is None else f"{iops:,.0f}"


def _bars(result: CurveResult, length: int) -> list[str]:
    """Return bars of throughput of one length; empty texts if there is no room for bars."""
    most = max((point.iops or 0.0 for point in result.points), default=0.0)
    if length < _SHORTEST_BAR or not most:
        return [""] * len(result.points)
    return [
        f"{BLOCK * round(length * (point.iops or 0.0) / most):{length}}  "
        for point in result.points
    ]


def _masked(result: CurveResult, width: int) -> Iterator[str]:
    """Yield each reason for masked readings with the depths that have it."""
    depths_by_reason: dict[str, list[int]] = {}
    for point in result.points:
        for reason in point.masked:
            depths_by_reason.setdefault(reason, []).append(point.depth)
    if depths_by_reason:
        yield ""
    for reason, depths in depths_by_reason.items():
        text = f"masked at depth {', '.join(map(str, depths))}: {reason}"
        yield from wrapped(printable(text), width, "  ")
