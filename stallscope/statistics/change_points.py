"""Change points of a series of measurements: shifts of its level.

    for change in change_points(values):
        print(change.index, change.before, change.after)

Binary segmentation over windows: the split with the largest t statistic between up to WINDOW values
on both sides divides a segment, and both parts are searched again. Then the least significant split
between neighbouring segments is removed until all are significant. Three things keep single
outliers and slow drift from being reported: values are limited to a band around a running median,
the variance is that of the window, and the t statistic is reduced for the autocorrelation of the
residuals. No random numbers are used. The idea of windows and of removing weak splits is that of
Fleming and others, Hunter: using change point detection to hunt for performance regressions, 2023.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]

WINDOW = 30  # values on each side that are compared
MIN_SEGMENT = 5
MAX_P = 1e-5
_SEARCH_FACTOR = 10  # weaker splits are kept while the search goes on
_BAND_HALF_WIDTH = 2  # values on each side of the running median
_BAND_DEVIATIONS = 3.0
_AUTOCORRELATION_WEIGHT = 0.5  # a wrong split makes residuals look correlated
_MAX_AUTOCORRELATION = 0.95


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A shift of the level: the index of the first value after it, and the medians on both sides.

    ``p`` is the p-value of the t test between the neighbouring segments.
    """

    index: int
    before: float
    after: float
    p: float


def change_points(values: Sequence[float]) -> list[ChangePoint]:
    """Return the change points in ascending order; values must be finite.

    Costs about 1 us per value and some for each candidate.
    """
    import numpy as np  # noqa: PLC0415 - start-up stays light

    series = np.asarray(values, dtype=np.float64)
    deviation = float(series.std()) if len(series) else 0.0
    if len(series) < 2 * MIN_SEGMENT or deviation == 0 or not math.isfinite(deviation):
        return []
    limited = _limited((series - series.mean()) / deviation)
    splits = _significant(limited, _candidates(limited))
    edges = [0, *(index for index, _ in splits), len(series)]
    return [
        ChangePoint(
            index,
            float(np.median(series[max(before, index - WINDOW) : index])),
            float(np.median(series[index : min(after, index + WINDOW)])),
            p,
        )
        for before, (index, p), after in zip(edges, splits, edges[2:], strict=False)
    ]


def _limited(series: "Values") -> "Values":
    """Return the series limited to a band around its running median."""
    import numpy as np  # noqa: PLC0415

    padded = np.pad(series, _BAND_HALF_WIDTH, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * _BAND_HALF_WIDTH + 1)
    medians = np.median(windows, axis=1)
    distances = np.abs(series - medians)
    width = 1.4826 * float(np.median(distances)) or 1.25 * float(distances.mean())
    return np.clip(series, medians - _BAND_DEVIATIONS * width, medians + _BAND_DEVIATIONS * width)


def _candidates(series: "Values") -> list[int]:
    positions = []
    segments = [(0, len(series))]
    while segments:
        start, end = segments.pop()
        index = _best_split(series, start, end)
        if index is None:
            continue
        p = _p_value(series, start, index, end)
        if p < MAX_P * _SEARCH_FACTOR:
            positions.append(index)
            segments += [(start, index), (index, end)]
    return sorted(positions)


def _best_split(series: "Values", start: int, end: int) -> int | None:
    """Return the split of a segment with the largest t statistic within its windows."""
    import numpy as np  # noqa: PLC0415

    size = end - start
    if size < 2 * MIN_SEGMENT:
        return None
    segment = series[start:end]
    sums = np.concatenate(([0.0], np.cumsum(segment)))
    squares = np.concatenate(([0.0], np.cumsum(segment * segment)))
    splits = np.arange(MIN_SEGMENT, size - MIN_SEGMENT + 1)
    left, right = np.maximum(0, splits - WINDOW), np.minimum(size, splits + WINDOW)
    n1, n2 = splits - left, right - splits
    mean1 = (sums[splits] - sums[left]) / n1
    mean2 = (sums[right] - sums[splits]) / n2
    inside = squares[right] - squares[left] - n1 * mean1**2 - n2 * mean2**2
    variance = np.maximum(inside, 0) / (n1 + n2 - 2) + 1e-12
    statistic = np.abs(mean2 - mean1) / np.sqrt(variance * (1 / n1 + 1 / n2))
    best = int(np.argmax(statistic))
    return start + int(splits[best]) if statistic[best] > 0 else None


def _p_value(series: "Values", start: int, index: int, end: int) -> float:
    """Return the p-value of the t test around a split, corrected for autocorrelation."""
    from scipy.special import stdtr  # noqa: PLC0415

    left = series[max(start, index - WINDOW) : index]
    right = series[index : min(end, index + WINDOW)]
    count = len(left) + len(right)
    residuals = series[max(start, index - WINDOW) : min(end, index + WINDOW)].copy()
    difference = float(right.mean() - left.mean())
    residuals[: len(left)] -= left.mean()
    residuals[len(left) :] -= right.mean()
    total = float(residuals @ residuals)
    variance = max(total / (count - 2), 1e-18)
    correlation = float(residuals[1:] @ residuals[:-1]) / (total + 1e-18) * _AUTOCORRELATION_WEIGHT
    correlation = max(0.0, min(_MAX_AUTOCORRELATION, correlation))
    inflation = (1 + correlation) / (1 - correlation)
    effective = max(3.0, count / inflation)
    error = math.sqrt(variance * inflation * (1 / len(left) + 1 / len(right)))
    return 2 * float(stdtr(max(1.0, effective - 2), -abs(difference) / error))


def _significant(series: "Values", candidates: Sequence[int]) -> list[tuple[int, float]]:
    """Return the splits that remain, with their p-values, after the weakest are removed."""
    splits = list(candidates)

    def test(place: int) -> float:
        start = splits[place - 1] if place else 0
        end = splits[place + 1] if place + 1 < len(splits) else len(series)
        return _p_value(series, start, splits[place], end)

    p_values = [test(place) for place in range(len(splits))]
    while splits:
        weakest = max(range(len(splits)), key=p_values.__getitem__)
        if p_values[weakest] < MAX_P:
            break
        del splits[weakest], p_values[weakest]
        for neighbour in (weakest - 1, weakest):
            if 0 <= neighbour < len(splits):
                p_values[neighbour] = test(neighbour)
    return list(zip(splits, p_values, strict=True))
