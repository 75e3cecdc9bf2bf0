"""Times of requests, counted: histograms that grow, and a heat map that keeps its size."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ioprobe.curve.readings import Bucket
from ioprobe.engine.points import Latency
from stallscope.histograms import Geometry, Histogram

Integers = npt.NDArray[np.int64]
GEOMETRY = Geometry(lowest=1, digits=2)
LONGEST_NS = 2**45  # ten hours; what took longer is counted as this
LEAST_OCTAVE, MOST_OCTAVE = 10, 36  # rows of the heat map: from 1 us to 69 s, two an octave
ROWS = 2 * (MOST_OCTAVE - LEAST_OCTAVE)
MOST_COLUMNS = 240
FIRST_COLUMN_S = 0.1


@dataclass(slots=True)
class TimeCounts:
    """Times in ns: how many of which size, to two digits; sum, least and most are exact."""

    count: int = 0
    sum_ns: int = 0
    least_ns: int = 0
    most_ns: int = 0
    _counts: Integers = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, times_ns: Integers) -> None:
        """Count times, none of them negative."""
        if not times_ns.size:
            return
        times_ns = np.minimum(times_ns, LONGEST_NS)
        least, most = int(times_ns.min()), int(times_ns.max())
        self.least_ns = least if not self.count else min(self.least_ns, least)
        self.most_ns = max(self.most_ns, most)
        self.count += times_ns.size
        self.sum_ns += int(times_ns.sum())
        added = np.bincount(GEOMETRY.places(times_ns), minlength=self._counts.size)
        added[: self._counts.size] += self._counts
        self._counts = added

    def histogram(self) -> Histogram:
        """Return the counts as a histogram."""
        return Histogram(GEOMETRY, self._counts)

    def latencies(self) -> Latency | None:
        """Return percentiles of the histogram, and what is exact; None where nothing was counted.

        Percentiles are upper ends of buckets of 1 %, held within what was seen.
        """
        if not self.count:
            return None
        whole = self.histogram()
        p50, p90, p99, p999, p9999 = (
            min(max(whole.percentile(percent) or 0.0, self.least_ns), self.most_ns)
            for percent in (50, 90, 99, 99.9, 99.99)
        )
        mean = self.sum_ns / self.count
        return Latency(self.least_ns, mean, self.most_ns, p50, p90, p99, p999, p9999)

    def buckets(self) -> list[Bucket]:
        """Return the histogram's buckets that hold any: from ns, to ns, how many."""
        places = np.flatnonzero(self._counts)
        low, high = GEOMETRY.bounds(places)
        rows = zip(low.tolist(), high.tolist(), self._counts[places].tolist(), strict=True)
        return [(int(least), int(most), count) for least, most, count in rows]


@dataclass(slots=True)
class HeatMap:
    """How many requests took how long when; columns join in pairs once there are too many.

    ``counts`` is (MOST_COLUMNS, ROWS); row r holds from row_edges_ns()[r] to the next edge, the
    first and the last also what is beyond.
    """

    begin_ns: int
    column_s: float = FIRST_COLUMN_S
    counts: Integers = field(default_factory=lambda: np.zeros((MOST_COLUMNS, ROWS), np.int64))

    def add(self, end_ns: Integers, times_ns: Integers) -> None:
        """Count requests at the time they ended."""
        if not times_ns.size:
            return
        since_s = np.maximum(end_ns - self.begin_ns, 0) / 1e9
        while since_s.max() >= self.column_s * MOST_COLUMNS:
            self._join()
        octaves = np.log2(np.maximum(times_ns, 1))
        rows = np.floor(2 * (octaves - LEAST_OCTAVE)).astype(np.int64).clip(0, ROWS - 1)
        columns = (since_s / self.column_s).astype(np.int64)
        np.add.at(self.counts, (columns, rows), 1)

    def _join(self) -> None:
        joined = self.counts[0::2] + self.counts[1::2]
        self.counts = np.concatenate((joined, np.zeros_like(joined)))
        self.column_s *= 2

    def used(self, seconds: float) -> Integers:
        """Return the columns of so many seconds, (n_columns, ROWS)."""
        columns = max(1, min(MOST_COLUMNS, int(np.ceil(seconds / self.column_s - 1e-9))))
        return self.counts[:columns]


def row_edges_ns() -> list[int]:
    """Return the times between the heat map's rows, and both ends: ROWS + 1 of them."""
    return [round(2 ** (LEAST_OCTAVE + row / 2)) for row in range(ROWS + 1)]
