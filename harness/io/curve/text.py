"""A response curve for a terminal: a row each depth with a bar, the three depths, the findings."""

from collections.abc import Iterator

from harness.cli.fitting_table import fitting_rows
from harness.cli.terminal import printable, wrapped
from harness.io.curve.shown import CurveShown, PointShown
from harness.page.figures import value_text

HEADS = ("Depth", "Requests/s", "least-most", "mean", "p50", "p99", "p99.9", "max")
_SPARED = ("least-most", "mean", "p99.9")  # on a narrow terminal, in this order
BLOCK = "\u2588"
_LONGEST_BAR, _SHORTEST_BAR = 24, 6


def lines(shown: CurveShown, room: int) -> Iterator[str]:
    """Yield the table, the depths with a name and what is peculiar."""
    yield from wrapped(shown.title, room)
    facts = "; ".join(f"{label}: {text}" for label, text in shown.facts)
    yield from wrapped(facts, room, "  ") if facts else ()
    if not shown.complete:
        yield "interrupted: what was measured until then"
    yield ""
    marks = [", ".join(shown.marks(one.depth)) for one in shown.points]
    for_marks = max(map(len, marks), default=0) + 4
    cells = [HEADS, *(_row(one) for one in shown.points)]
    rows = fitting_rows(cells, room - for_marks, _SPARED)
    widest = max(map(len, rows))
    left = room - widest - for_marks
    bars = _bars(shown, min(_LONGEST_BAR, left))
    for row, bar, mark in zip(rows, ["", *bars], ["", *marks], strict=True):
        yield f"{row:{widest}}  {bar}{mark}".rstrip()
    yield from _masked(shown, room)
    yield ""
    for depth in shown.depths:
        value = "none" if depth.depth is None else f"{depth.depth}"
        yield from wrapped(f"{depth.name:16}{value:>5}  {depth.text}", room, " " * 23)
    yield ""
    for one in shown.findings:
        yield from wrapped(f"{one.verdict}: {one.text}", room, "  ")
    for warning in shown.warnings:
        yield from wrapped(f"note: {warning}", room, "  ")


def _row(one: PointShown) -> tuple[str, ...]:
    if one.iops is None or one.latencies is None:
        return (str(one.depth), "masked", *[""] * (len(HEADS) - 2))
    found = one.latencies
    return (
        str(one.depth),
        f"{one.iops:,.0f}",
        f"{_rate(one.iops_min)}-{_rate(one.iops_max)}",
        *(
            value_text(round(time), "ns")
            for time in (found.mean, found.p50, found.p99, found.p999, found.max)
        ),
    )


def _rate(iops: float | None) -> str:
    return "n/a" if iops is None else f"{iops:,.0f}"


def _bars(shown: CurveShown, length: int) -> list[str]:
    """Return bars of throughput, all of one length; empty where there is no room for them."""
    most = max((one.iops or 0.0 for one in shown.points), default=0.0)
    if length < _SHORTEST_BAR or not most:
        return [""] * len(shown.points)
    return [
        f"{BLOCK * round(length * (one.iops or 0.0) / most):{length}}  " for one in shown.points
    ]


def _masked(shown: CurveShown, room: int) -> Iterator[str]:
    """Yield which depths had readings masked, by reason."""
    reasons: dict[str, list[int]] = {}
    for one in shown.points:
        for why in one.masked:
            reasons.setdefault(why, []).append(one.depth)
    if reasons:
        yield ""
    for why, depths in reasons.items():
        at = ", ".join(map(str, depths))
        yield from wrapped(printable(f"masked at depth {at}: {why}"), room, "  ")
