"""A latency histogram in few rows: linear steps, or steps of a tenth of a decade and more."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

Buckets = Sequence[tuple[int, int, int]]  # lower ns, upper ns, count
MAX_ROWS = 20
# Round steps within a decade, from fine to coarse.
_DECADES = (
    (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8),
    (1, 1.6, 2.5, 4, 6.4),
    (1, 2, 5),
    (1,),
)


class LatencyScale(StrEnum):
    """The scale of the rows."""

    LOGARITHMIC = "log"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class HistogramRow:
    """Requests from ``low_ns`` up to, but not including, ``high_ns``; None: no upper bound."""

    low_ns: float
    high_ns: float | None
    count: int


def histogram_rows(
    histogram: Buckets, scale: LatencyScale, max_rows: int = MAX_ROWS
) -> tuple[HistogramRow, ...]:
    """Return the rows from the first to the last that is not empty.

    A bucket counts for the row of its middle. Linear rows reach up to twice the 99th percentile;
    all requests beyond are one row.
    """
    buckets = [(low, high, count) for low, high, count in histogram if count > 0]
    if not buckets:
        return ()
    if scale is LatencyScale.LOGARITHMIC:
        return _filled_rows(buckets, _log_edges(buckets[0][0], buckets[-1][1], max_rows))
    return _filled_rows(buckets, _linear_edges(buckets, max_rows))


def _log_edges(min_ns: float, max_ns: float, max_rows: int) -> list[float]:
    first = math.floor(math.log10(max(min_ns, 1)))
    last = math.floor(math.log10(max(max_ns, 1))) + 1
    for steps in _DECADES:
        edges = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        below = max(index for index, edge in enumerate(edges) if edge <= max(min_ns, 1))
        above = min(index for index, edge in enumerate(edges) if edge > max_ns)
        if above - below <= max_rows:
            return edges[below : above + 1]
    return edges[below : above + 1]


def _linear_edges(buckets: Buckets, max_rows: int) -> list[float]:
    total = sum(count for _, _, count in buckets)
    seen, p99_ns = 0, buckets[-1][1]
    for _, high, count in buckets:
        seen += count
        if seen >= 0.99 * total:
            p99_ns = high
            break
    min_ns, max_ns = buckets[0][0], min(buckets[-1][1], 2 * p99_ns)
    step = _round_step((max_ns - min_ns + 1) / max(max_rows - 2, 1))
    begin = math.floor(min_ns / step) * step
    rows = math.floor((max_ns - begin) / step) + 1
    return [begin + step * row for row in range(rows + 1)]


def _round_step(minimum: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is at least ``minimum``."""
    power = 10.0 ** math.floor(math.log10(max(minimum, 1)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= minimum)


def _filled_rows(buckets: Buckets, edges: Sequence[float]) -> tuple[HistogramRow, ...]:
    counts = [0] * len(edges)
    row = 0
    for low, high, count in buckets:
        middle = (low + high) / 2
        while row + 1 < len(edges) and edges[row + 1] <= middle:
            row += 1
        counts[row] += count
    rows = [
        HistogramRow(low, high, count)
        for low, high, count in zip(edges[:-1], edges[1:], counts[:-1], strict=True)
    ]
    while rows and rows[0].count == 0:
        rows.pop(0)
    if counts[-1]:
        return (*rows, HistogramRow(edges[-1], None, counts[-1]))
    while rows and rows[-1].count == 0:
        rows.pop()
    return tuple(rows)
