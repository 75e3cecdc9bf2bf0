"""The panel "A reader beside a storm of writes": latency and bandwidth by limit, the table."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from harness.labs.storm.result import StormResult, StormRow
from harness.labs.storm.series_panel import series_panels
from harness.labs.storm.text import HEADS, comparison_text, masked_texts, row_cells
from harness.page.document import fragment
from harness.page.latency_panel import DECADES, look
from harness.page.latency_panel import STYLE as LATENCY_STYLE
from harness.page.panels import CURVE_STYLE, Panel
from harness.page.plot import Axis, Figure, Line, Plot, Tick, decade_ticks, round_ticks
from harness.recordings.results import facts_text

PERCENTILES = ("p50", "p99", "p99.9")
_GIB = 2**30
_RowsByName = Sequence[tuple[str, Sequence[StormRow]]]


def panels(result: StormResult) -> tuple[Panel, ...]:
    """Return the panel of a storm, and that of its runs over time."""
    recommended = result.recommended
    markup = fragment(
        "harness.labs.storm/panel.html",
        hint=f"{result.requests}, {result.source_text}",
        verdict=result.verdict,
        reason=result.verdict_reason,
        figures=_figures(result),
        percentiles=PERCENTILES,
        bandwidths=[f"bandwidth {name}" for name, _ in rows_by_kind(result)],
        heads=("Queue", *HEADS[1:]),
        rows=[row_cells(result, row) for row in result.table_rows],
        hints=(
            f"* recommended, dotted in the plots: {recommended.limit}, {recommended.how}",
            comparison_text(result) if recommended.limit != result.against else "",
            *masked_texts(result),
            *result.warnings,
            facts_text(result.facts),
        ),
    )
    return (Panel(markup, (LATENCY_STYLE, CURVE_STYLE)), *series_panels(result))


def rows_by_kind(result: StormResult) -> _RowsByName:
    """Return the rows with shares and those without, by name; a kind with one limit is left out."""
    kinds = [("with shares", result.rows), ("first come, first served", result.first_come)]
    return [(name, rows) for name, rows in kinds if len(rows) > 1]


def _figures(result: StormResult) -> list[Figure]:
    """Return the reader's latency with shares and without, on equal axes, and the bandwidth."""
    kinds = rows_by_kind(result)
    values = [
        value
        for row in (*result.rows, *result.first_come)
        for name in PERCENTILES
        if (value := row.reader_ns.by_name[name]) is not None and value > 0
    ]
    if not kinds or not values:
        return []
    low = 10.0 ** (math.floor(3 * math.log10(min(values))) / 3)
    high = max(10.0 ** (math.ceil(3 * math.log10(max(values))) / 3), 2.2 * low)
    y = Axis(low, high, "reader's latency", decade_ticks(low, high, DECADES), logarithmic=True)
    return [
        *(
            Figure(_latency(result, rows, y), f"Reader's latency by limit, {name}")
            for name, rows in kinds
        ),
        Figure(_bandwidth(result, kinds), "Writer's bandwidth by limit"),
    ]


def limit_position(result: StormResult, row: StormRow) -> float:
    """Return the position of a row on the axis of limits; no limit stands at the right end."""
    return float(row.limit) if row.limit is not None else unlimited_position(result)


def unlimited_position(result: StormResult) -> float:
    """Return the position of "no limit": at least the writer's depth, right of all limits."""
    limits = [row.limit or 1 for row in (*result.rows, *result.first_come)]
    return 2.0 * max(result.options.writer_depth / 2, *limits, 1)


def _limit_axis(result: StormResult) -> Axis:
    limits = [row.limit for row in (*result.rows, *result.first_come) if row.limit is not None]
    high = unlimited_position(result)
    low = min([*limits, round(high / 2)])
    powers = range(math.ceil(math.log2(max(1, low))), math.floor(math.log2(high)) + 1)
    ticks = [Tick(1 << power, f"{1 << power}") for power in powers if 1 << power < 0.8 * high]
    return Axis(low, high, "limit", (*ticks, Tick(high, "all")), logarithmic=True)


def _latency(result: StormResult, rows: Sequence[StormRow], y: Axis) -> Markup:
    plot = Plot(_limit_axis(result), y, "Reader's latency by limit")
    values = [[(row, row.reader_ns.by_name[name]) for row in rows] for name in PERCENTILES]
    return _drawn(result, plot, values)


def _bandwidth(result: StormResult, kinds: _RowsByName) -> Markup:
    rates = [
        [(row, None if (rate := row.writer_bytes_per_s) is None else rate / _GIB) for row in rows]
        for _, rows in kinds
    ]
    top = 1.08 * max(1.0 / _GIB, *(rate or 0.0 for rows in rates for _, rate in rows))
    y = Axis(0, top, "GiB/s", round_ticks(top))
    return _drawn(result, Plot(_limit_axis(result), y, "Writer's bandwidth"), rates)


def _drawn(
    result: StormResult, plot: Plot, lines: Sequence[Sequence[tuple[StormRow, float | None]]]
) -> Markup:
    """Return a plot with a line for each list of values, and the recommended limit."""
    drawn = []
    for index, values in enumerate(lines):
        points = [(limit_position(result, row), value) for row, value in values]
        drawn.append(plot.line(sorted((x, y) for x, y in points if y is not None), look(index)))
    return plot.drawn(*_recommended_mark(result, plot), *drawn)


def _recommended_mark(result: StormResult, plot: Plot) -> list[Line]:
    """Return a vertical line at the recommended limit; none outside the plot."""
    x = float(result.recommended.limit)
    if not plot.x.low <= x <= plot.x.high:
        return []
    return [plot.line([(x, plot.y.low), (x, plot.y.high)], "curve-mark mark-2")]
