"""Percentile bootstrap intervals of 95 %.

Source: Davison and Hinkley, Bootstrap Methods and their Application, 1997, chapter 5. For the
median alone use stallscope.statistics.estimate: its interval needs no random numbers.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

INSIDE_PERCENT = (2.5, 97.5)


def percentile_interval(replicates: "npt.NDArray[np.float64]", value: float) -> tuple[float, float]:
    """Return the 95 % interval of replicates, extended to contain the measured value."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    low, high = np.percentile(replicates, INSIDE_PERCENT)
    return min(float(low), value), max(float(high), value)


def bootstrap_interval(
    values: Sequence[float],
    statistic: Callable[[Sequence[float]], float],
    *,
    replicates: int = 2000,
    seed: int = 20,
) -> tuple[float, float]:
    """Return the 95 % interval of a statistic of at least one value; the seed fixes the result."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    generator = np.random.default_rng(seed)
    sample = np.asarray(values, float)
    resampled = sample[generator.integers(0, len(sample), (replicates, len(sample)))]
    drawn = np.array([statistic(row.tolist()) for row in resampled])
    return percentile_interval(drawn, statistic(values))
