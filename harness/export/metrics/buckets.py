"""Histograms with few buckets whose bounds are the same in all recordings.

A recorded histogram has thousands of buckets. Here an octave has four, which are unions of
buckets of HdrHistogram layouts: no count is interpolated, and histograms of many recordings can be
added. A percentile read from them is at most 25 % too high.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from stallscope.histograms import Histogram

Row = tuple[float, float, int]  # smallest value, largest value and count


@dataclass(frozen=True, slots=True)
class ExportedHistogram:
    """Counts of values up to and including each bound; the last count is above all bounds.

    ``bounds`` rise. ``total`` is the sum of the values, to the resolution of the recorded layout.
    """

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float
    smallest: float
    largest: float

    @property
    def count(self) -> int:
        """Return the number of values."""
        return sum(self.counts)

    def scaled(self, factor: float) -> "ExportedHistogram":
        """Return the histogram of the values times a factor."""
        return ExportedHistogram(
            tuple(bound * factor for bound in self.bounds),
            self.counts,
            self.total * factor,
            self.smallest * factor,
            self.largest * factor,
        )


def exported(histogram: Histogram) -> ExportedHistogram | None:
    """Return the histogram of a log; None if it is empty."""
    return exported_rows(histogram.rows(), unit=histogram.geometry.lowest)


def exported_rows(rows: Iterable[Row], *, unit: int = 1) -> ExportedHistogram | None:
    """Return the histogram of rising buckets, None without values; ``unit``: the finest step."""
    filled = [(low, high, count) for low, high, count in rows if count]
    if not filled:
        return None
    bounds = _bounds(filled[0][1], filled[-1][1], 1 << max(0, unit.bit_length() - 1))
    counts = [0] * (len(bounds) + 1)
    place = 0
    for _, high, count in filled:
        while place < len(bounds) and high > bounds[place]:
            place += 1
        counts[place] += count
    total = math.fsum((low + high) / 2 * count for low, high, count in filled)
    return ExportedHistogram(tuple(bounds), tuple(counts), total, filled[0][0], filled[-1][1])


def _bounds(first: float, last: float, unit: int) -> list[float]:
    """Return the bounds from the bucket of ``first`` to that of ``last``, four per octave.

    The first bound is below all values, if there is one. All are one less than a multiple of
    ``unit``, a power of two, as the largest values of the recorded buckets are.
    """
    bounds: list[float] = []
    octave = unit
    while True:
        for quarter in (4, 5, 6, 7):
            if octave * quarter % (4 * unit):
                continue
            edge = float(octave * quarter // 4 - 1)
            bounds = [edge] if edge < first else [*bounds, edge]
            if edge >= last:
                return bounds
        octave *= 2
