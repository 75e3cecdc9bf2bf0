"""Differences of means between two classes of requests, with bootstrap intervals of 95 %."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stallscope.statistics.bootstrap import percentile_interval

REPLICATES = 500
_LARGEST_RESAMPLED = 5_000  # of a larger class the means are normal
_SEED = 1  # the same recording gives the same intervals


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """The means of both classes, and the difference with its interval."""

    slow: float
    median: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Return the mean of slow requests minus that of median ones."""
        return self.slow - self.median


def mean_differences(
    values: npt.NDArray[np.generic],
    slow: npt.NDArray[np.bool_],
    median: npt.NDArray[np.bool_],
) -> list[MeanDifference]:
    """Return the difference of each column of ``values`` (n_requests, n_columns)."""
    random = np.random.default_rng(_SEED)
    slow_rows, median_rows = (values[chosen].astype(np.float64) for chosen in (slow, median))
    if not len(slow_rows) or not len(median_rows):
        return []
    replicates = _resampled_means(slow_rows, random) - _resampled_means(median_rows, random)
    slow_means, median_means = slow_rows.mean(axis=0), median_rows.mean(axis=0)
    rows = []
    for column in range(values.shape[1]):
        slow_mean, median_mean = float(slow_means[column]), float(median_means[column])
        interval = percentile_interval(replicates[:, column], slow_mean - median_mean)
        rows.append(MeanDifference(slow_mean, median_mean, *interval))
    return rows


def _resampled_means(
    rows: npt.NDArray[np.float64], random: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Return the means of resampled rows, (REPLICATES, n_columns)."""
    count = len(rows)
    if count > _LARGEST_RESAMPLED:
        error = rows.std(axis=0, ddof=1) / np.sqrt(count)
        noise = random.standard_normal((REPLICATES, rows.shape[1]))
        return np.asarray(rows.mean(axis=0) + noise * error)
    weights = random.multinomial(count, np.full(count, 1 / count), size=REPLICATES)
    return np.asarray(weights @ rows / count)
