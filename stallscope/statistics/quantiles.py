"""Quantiles of counted values by the nearest-rank definition.

HdrHistogram has its own rounding rule, which stallscope.histograms follows.
"""

from collections.abc import Iterable
from typing import TypeVar

_SLACK = 1e-9  # shares such as 0.999 are not exact in binary

V = TypeVar("V", int, float)


def nearest_rank(counted: Iterable[tuple[V, int]], share: float) -> V | None:
    """Return the smallest value that at least ``share`` (0..1) of all values do not exceed.

    ``counted`` holds values and their counts, in ascending order of the values. None if nothing
    was counted.
    """
    rows = [(value, count) for value, count in counted if count > 0]
    needed = share * sum(count for _, count in rows) - _SLACK
    reached = 0
    for value, count in rows:
        reached += count
        if reached >= needed:
            return value
    return rows[-1][0] if rows else None
