"""Classes of requests by latency: slow ones (above a quantile) and those around the median."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SLOW_ABOVE = 0.99
MEDIAN_FROM, MEDIAN_TO = 0.4, 0.6
MIN_SLOW = 10  # with fewer, the interval of a mean says nothing
QUANTILES = (0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True, slots=True)
class LatencyClasses:
    """Which requests belong to the classes, (n_requests,), and the limit of the slow ones."""

    slow: npt.NDArray[np.bool_]
    median: npt.NDArray[np.bool_]
    slow_above_ns: int

    @property
    def enough(self) -> bool:
        """Return whether there are enough slow requests for a verdict."""
        return int(self.slow.sum()) >= MIN_SLOW


def latency_classes(
    wall_ns: npt.NDArray[np.int64], slow_above: float = SLOW_ABOVE
) -> LatencyClasses:
    """Return the classes; the slow requests are above the quantile, nearest rank."""
    count = len(wall_ns)
    rank = np.empty(count, np.int64)
    rank[np.argsort(wall_ns, kind="stable")] = np.arange(1, count + 1)
    slow = rank > np.ceil(slow_above * count)
    median = (rank > MEDIAN_FROM * count) & (rank <= MEDIAN_TO * count)
    limit = int(wall_ns[~slow].max()) if count else 0
    return LatencyClasses(slow, median, limit)


def requests_needed(slow_above: float = SLOW_ABOVE) -> int:
    """Return the number of requests of which enough are slow."""
    return round(MIN_SLOW / (1 - slow_above))


def quantile_ns(wall_ns: npt.NDArray[np.int64]) -> tuple[tuple[float, int], ...]:
    """Return quantiles and latencies, nearest rank; without those that no request exceeds."""
    ordered = np.sort(wall_ns)
    count = len(ordered)
    return tuple(
        (share, int(ordered[int(np.ceil(share * count)) - 1]))
        for share in QUANTILES
        if count and share * count <= count - 1
    )
