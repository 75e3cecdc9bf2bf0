"""Histograms of request latencies that grow as needed, and a heat map of fixed size."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ioprobe.curve.readings import HistogramBucket
from ioprobe.engine.points import Latency
from stallscope.histograms import Geometry, Histogram

Integers = npt.NDArray[np.int64]
GEOMETRY = Geometry(lowest=1, digits=2)
MAX_NS = 2**45  # ten hours; longer times are counted as this
MIN_OCTAVE, MAX_OCTAVE = 10, 36  # rows of the heat map: from 1 us to 69 s, two per octave
ROWS = 2 * (MAX_OCTAVE - MIN_OCTAVE)
MAX_COLUMNS = 240
FIRST_COLUMN_S = 0.1


@dataclass(slots=True)
class LatencyCounts:
    """Histogram of times in ns to two digits; sum, minimum and maximum are exact."""

    count: int = 0
    sum_ns: int = 0
    min_ns: int = 0
    max_ns: int = 0
    _counts: Integers = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, times_ns: Integers) -> None:
        """Count times; none may be negative."""
        if not times_ns.size:
            return
        times_ns = np.minimum(times_ns, MAX_NS)
        minimum, maximum = int(times_ns.min()), int(times_ns.max())
        self.min_ns = minimum if not self.count else min(self.min_ns, minimum)
        self.max_ns = max(self.max_ns, maximum)
        self.count += times_ns.size
        self.sum_ns += int(times_ns.sum())
        counts = np.bincount(GEOMETRY.places(times_ns), minlength=self._counts.size)
        counts[: self._counts.size] += self._counts
        self._counts = counts

    def histogram(self) -> Histogram:
        """Return the counts as a histogram."""
        return Histogram(GEOMETRY, self._counts)

    def latencies(self) -> Latency | None:
        """Return the percentiles and the exact values; None if nothing was counted.

        A percentile is the upper bound of its bucket (1 % wide), limited to minimum and maximum.
        """
        if not self.count:
            return None
        histogram = self.histogram()
        p50, p90, p99, p999, p9999 = (
            min(max(histogram.percentile(percent) or 0.0, self.min_ns), self.max_ns)
            for percent in (50, 90, 99, 99.9, 99.99)
        )
        mean = self.sum_ns / self.count
        return Latency(self.min_ns, mean, self.max_ns, p50, p90, p99, p999, p9999)

    def buckets(self) -> list[HistogramBucket]:
        """Return the buckets that are not empty: lower ns, upper ns, count."""
        places = np.flatnonzero(self._counts)
        low, high = GEOMETRY.bounds(places)
        rows = zip(low.tolist(), high.tolist(), self._counts[places].tolist(), strict=True)
        return [(int(lower), int(upper), count) for lower, upper, count in rows]


@dataclass(slots=True)
class LatencyHeatMap:
    """Requests by time and latency; pairs of columns are merged when the map is full.

    ``counts`` is (MAX_COLUMNS, ROWS). Row r holds latencies from row_edges_ns()[r] to the next
    edge; the first and the last row also hold everything beyond.
    """

    begin_ns: int
    column_s: float = FIRST_COLUMN_S
    counts: Integers = field(default_factory=lambda: np.zeros((MAX_COLUMNS, ROWS), np.int64))

    def add(self, end_ns: Integers, times_ns: Integers) -> None:
        """Count requests at their completion times."""
        if not times_ns.size:
            return
        since_s = np.maximum(end_ns - self.begin_ns, 0) / 1e9
        while since_s.max() >= self.column_s * MAX_COLUMNS:
            self._merge_columns()
        octaves = np.log2(np.maximum(times_ns, 1))
        rows = np.floor(2 * (octaves - MIN_OCTAVE)).astype(np.int64).clip(0, ROWS - 1)
        columns = (since_s / self.column_s).astype(np.int64)
        np.add.at(self.counts, (columns, rows), 1)

    def _merge_columns(self) -> None:
        merged = self.counts[0::2] + self.counts[1::2]
        self.counts = np.concatenate((merged, np.zeros_like(merged)))
        self.column_s *= 2

    def used(self, seconds: float) -> Integers:
        """Return the columns of the first ``seconds``, (n_columns, ROWS)."""
        columns = max(1, min(MAX_COLUMNS, int(np.ceil(seconds / self.column_s - 1e-9))))
        return self.counts[:columns]


def row_edges_ns() -> list[int]:
    """Return the ROWS + 1 edges of the heat map's rows."""
    return [round(2 ** (MIN_OCTAVE + row / 2)) for row in range(ROWS + 1)]
