"""The power of a gate on this machine, by resampling the differences of the measured blocks.

The differences are centred, an effect is added, and the gate's test decides: the two-stage test of
blocks, or the exact test of builds. p-values of blocks are normal approximations, which differ by
less than 0.005 from the exact ones from ten blocks on.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stallscope.statistics.signed_ranks import critical_rank_sum, hodges_lehmann
from stallscope.statistics.two_stages import ALPHA, FIRST_LEVEL, FUTILITY, PRODUCT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

POWER = 0.8
SIZES = (6, 8, 10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100, 130, 160, 200)  # blocks per stage
BUILDS = (6, 8, 10, 12, 16, 20, 25, 30, 40, 50, 60, 80, 100)
_REPLICATES = 400
_SEED = 1  # equal data give equal answers


def power(differences: Sequence[float], effect: float, blocks_per_stage: int) -> float:
    """Return the share (0..1) of repetitions whose lower bound is above zero.

    ``effect`` is the true difference of logarithms.
    """
    draws = _draws(differences, effect, (2, _REPLICATES, blocks_per_stage))
    first, second = _p_values(draws[0]), _p_values(draws[1])
    rejected = (first <= FIRST_LEVEL) | ((first <= FUTILITY) & (first * second <= PRODUCT))
    return float(rejected.mean())


def blocks_needed(differences: Sequence[float], effect: float) -> int | None:
    """Return the smallest tried number of blocks per stage with a power of 80 %; None above 200."""
    return next((n for n in SIZES if power(differences, effect, n) >= POWER), None)


def power_of_builds(differences: Sequence[float], effect: float, builds: int) -> float:
    """Return the same share for a gate of several builds; one difference for each build."""
    sums = _rank_sums(_draws(differences, effect, (_REPLICATES, builds)))
    return float((sums >= critical_rank_sum(builds, ALPHA)).mean())


def builds_needed(differences: Sequence[float], effect: float) -> int | None:
    """Return the smallest tried number of builds with a power of 80 %; None above 100."""
    return next((n for n in BUILDS if power_of_builds(differences, effect, n) >= POWER), None)


def _draws(
    differences: Sequence[float], effect: float, shape: tuple[int, ...]
) -> "npt.NDArray[np.float64]":
    """Return differences around the effect, drawn with replacement."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    values = np.asarray(differences, dtype=float) - hodges_lehmann(differences)
    draws: npt.NDArray[np.float64] = np.random.default_rng(_SEED).choice(values, shape) + effect
    return draws


def _rank_sums(draws: "npt.NDArray[np.float64]") -> "npt.NDArray[np.int64]":
    """Return the sum of positive ranks of each row."""
    import numpy as np  # noqa: PLC0415

    ranks = np.abs(draws).argsort(axis=1).argsort(axis=1) + 1
    sums: npt.NDArray[np.int64] = np.where(draws > 0, ranks, 0).sum(axis=1)
    return sums


def _p_values(draws: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
    """Return the one-sided p-value of each row."""
    import numpy as np  # noqa: PLC0415
    from scipy.special import ndtr  # noqa: PLC0415 - 0.1 s, once per gate

    n = draws.shape[1]
    deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    values: npt.NDArray[np.float64] = ndtr(-(_rank_sums(draws) - n * (n + 1) / 4 - 0.5) / deviation)
    return values
