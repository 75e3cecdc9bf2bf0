"""A histogram of latency in few rows: linear steps, or steps that grow by a tenth of a decade."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

Fine = Sequence[tuple[int, int, int]]  # least ns, greatest ns, count
MOST_ROWS = 20
# Round ends of steps within a decade, from fine to coarse.
_DECADES = (
    (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.4, 8),
    (1, 1.6, 2.5, 4, 6.4),
    (1, 2, 5),
    (1,),
)


class Scale(StrEnum):
    """How wide buckets are."""

    LOGARITHMIC = "log"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True)
class Bucket:
    """Requests that took at least ``low_ns`` and less than ``high_ns``; None: all beyond."""

    low_ns: float
    high_ns: float | None
    count: int


def buckets(histogram: Fine, scale: Scale, most_rows: int = MOST_ROWS) -> tuple[Bucket, ...]:
    """Return the rows, empty ones among them, from the first that counts to the last.

    A fine bucket goes where its middle is. Linear rows reach up to the 99th percentile twice over;
    what is beyond is one row.
    """
    told = [(low, high, count) for low, high, count in histogram if count > 0]
    if not told:
        return ()
    if scale is Scale.LOGARITHMIC:
        return _filled(told, _log_edges(told[0][0], told[-1][1], most_rows))
    return _filled(told, _linear_edges(told, most_rows))


def _log_edges(least_ns: float, most_ns: float, most_rows: int) -> list[float]:
    first = math.floor(math.log10(max(least_ns, 1)))
    last = math.floor(math.log10(max(most_ns, 1))) + 1
    for steps in _DECADES:
        edges = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        below = max(at for at, edge in enumerate(edges) if edge <= max(least_ns, 1))
        above = min(at for at, edge in enumerate(edges) if edge > most_ns)
        if above - below <= most_rows:
            return edges[below : above + 1]
    return edges[below : above + 1]


def _linear_edges(told: Fine, most_rows: int) -> list[float]:
    total = sum(count for _, _, count in told)
    seen, reach = 0, told[-1][1]
    for _, high, count in told:
        seen += count
        if seen >= 0.99 * total:
            reach = high
            break
    least, most = told[0][0], min(told[-1][1], 2 * reach)
    step = _round_step((most - least + 1) / max(most_rows - 2, 1))
    begin = math.floor(least / step) * step
    rows = math.floor((most - begin) / step) + 1
    return [begin + step * row for row in range(rows + 1)]


def _round_step(least: float) -> float:
    """Return the least of 1, 2, 5 times a power of ten that is not below ``least``."""
    power = 10.0 ** math.floor(math.log10(max(least, 1)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


def _filled(told: Fine, edges: Sequence[float]) -> tuple[Bucket, ...]:
    counts = [0] * len(edges)
    at = 0
    for low, high, count in told:
        middle = (low + high) / 2
        while at + 1 < len(edges) and edges[at + 1] <= middle:
            at += 1
        counts[at] += count
    rows = [
        Bucket(low, high, count)
        for low, high, count in zip(edges[:-1], edges[1:], counts[:-1], strict=True)
    ]
    first = next(at for at, row in enumerate((*rows, None)) if row is None or row.count)
    rows = rows[first:]
    if counts[-1]:
        return (*rows, Bucket(edges[-1], None, counts[-1]))
    while rows and rows[-1].count == 0:
        rows.pop()
    return tuple(rows)
