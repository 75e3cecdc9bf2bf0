"""Percentile bootstrap intervals of 95 %.

Source: Davison and Hinkley, Bootstrap Methods and their Application, 1997, chapter 5. For the
median alone use stallscope.statistics.estimate: its interval needs no random numbers.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

INSIDE_PERCENT = (2.5, 97.5)


def percentile_interval(replicates: "npt.NDArray[np.float64]", value: float) -> tuple[float, float]:
    """Return the 95 % interval of replicates, extended to contain the measured value.

    ``replicates`` is (n_replicates,): the statistic of each resampled set of readings.
    """
    import numpy as np  # noqa: PLC0415 - start-up stays light

    low, high = np.percentile(replicates, INSIDE_PERCENT)
    return min(float(low), value), max(float(high), value)
