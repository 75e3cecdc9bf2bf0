"""Differences of shares between two recordings whose time is split into blocks.

A share is a ratio of sums over blocks, such as the samples of a function and all samples. Samples
of one recording are not independent: phases of a program make its blocks differ by more than
chance. The variance therefore comes from the blocks themselves, which is the mean over all ways to
split a recording into two halves of blocks (an A/A comparison), and is at least that of independent
samples. Blocks twice as long are tried too: their variance is larger if neighbours resemble each
other. Source: Cochran, Sampling Techniques, 1977, section 2.11 (ratio estimator).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stallscope.statistics.multiple_tests import holm

Floats = npt.NDArray[np.float64]

BLOCKS = 24
ALPHA = 0.01  # of all rows of a comparison together, after Holm's correction
# Two runs of one program differ by more than their blocks do: addresses, placement of code and
# data. Standard deviation relative to the share, between builds of one source.
RUN_SPREAD = 0.005


@dataclass(frozen=True, slots=True)
class BlockSums:
    """Sums by row and block: ``parts`` (n_rows, n_blocks) of ``whole`` (n_blocks,).

    ``samples``: number of independent samples in ``whole``, which bounds the variance from below;
    None if parts are not counted in samples.
    """

    parts: Floats
    whole: Floats
    samples: int | None = None

    @property
    def shares(self) -> Floats:
        """Return the share of each row, (n_rows,)."""
        total = self.whole.sum()
        shares: Floats = self.parts.sum(axis=1) / total if total > 0 else self.parts.sum(axis=1) * 0
        return shares

    def variance(self) -> Floats:
        """Return the variance of each share, (n_rows,)."""
        longer = self.parts.shape[1] // 2 * 2
        doubled = BlockSums(
            self.parts[:, :longer:2] + self.parts[:, 1:longer:2],
            self.whole[:longer:2] + self.whole[1:longer:2],
        )
        result: Floats = np.maximum(self._between_blocks(), doubled._between_blocks())
        return result

    def _between_blocks(self) -> Floats:
        used = self.whole > 0
        count, total = int(used.sum()), self.whole.sum()
        if count < 2:
            return np.full(len(self.parts), np.inf)
        rests = self.parts[:, used] - self.shares[:, None] * self.whole[used]
        result: Floats = (rests**2).sum(axis=1) * count / (count - 1) / total**2
        return result


@dataclass(frozen=True, slots=True)
class ShareDifferences:
    """The comparison of two recordings; all arrays are (n_rows,).

    ``low``, ``high``: 95 % interval of ``delta`` = b - a. ``p``: adjusted by Holm's method.
    ``overdispersion``: variance relative to that of independent samples; 1 without samples.
    """

    a: Floats
    b: Floats
    delta: Floats
    low: Floats
    high: Floats
    p: Floats
    overdispersion: Floats

    @property
    def flagged(self) -> npt.NDArray[np.bool_]:
        """Return which rows differ by more than the noise."""
        flags: npt.NDArray[np.bool_] = self.p < ALPHA
        return flags


def compare_shares(a: BlockSums, b: BlockSums) -> ShareDifferences:
    """Return the differences of the rows, which both sides have in the same order."""
    from scipy.special import betainc, stdtr, stdtrit  # noqa: PLC0415 - heavy

    share_a, share_b = a.shares, b.shares
    variance, excess = _variance(a, b)
    error = np.sqrt(variance + (RUN_SPREAD * (share_a + share_b) / 2) ** 2 * 2)
    delta = share_b - share_a
    freedom = max(1, a.parts.shape[1] + b.parts.shape[1] - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(error > 0, np.abs(delta) / error, np.where(delta != 0, np.inf, 0.0))
    p = 2 * stdtr(freedom, -distance)
    if a.samples is not None and b.samples is not None:
        p = np.maximum(p, _exact_p(a, b, excess, betainc))
    half = float(stdtrit(freedom, 0.975)) * error
    adjusted = np.array(holm(p.tolist()), dtype=float)
    return ShareDifferences(share_a, share_b, delta, delta - half, delta + half, adjusted, excess)


def _variance(a: BlockSums, b: BlockSums) -> tuple[Floats, Floats]:
    """Return the variance of the differences, and its ratio to that of independent samples."""
    variance = a.variance() + b.variance()
    if a.samples is None or b.samples is None:
        return variance, np.ones(len(variance))
    weight = a.samples / (a.samples + b.samples)
    pooled = a.shares * weight + b.shares * (1 - weight)
    binomial = pooled * (1 - np.minimum(pooled, 1)) * (1 / a.samples + 1 / b.samples)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(binomial > 0, np.maximum(1, variance / binomial), 1.0)
    return np.maximum(variance, binomial), excess


def _exact_p(a: BlockSums, b: BlockSums, excess: Floats, betainc: "np.ufunc") -> Floats:
    """Return two-sided p-values of counts given their sum: the normal one is too small for few.

    Counts are divided by the overdispersion, so that they are as many as independent ones.
    """
    assert a.samples is not None
    assert b.samples is not None
    first = a.shares * a.samples / excess
    second = b.shares * b.samples / excess
    chance = b.samples / (a.samples + b.samples)
    # P(X >= k) = I_p(k, n - k + 1) for X of Binomial(n, p); k and n need not be whole here.
    upper = np.where(second > 0, betainc(np.maximum(second, 1e-9), first + 1, chance), 1.0)
    lower = np.where(first > 0, betainc(np.maximum(first, 1e-9), second + 1, 1 - chance), 1.0)
    result: Floats = np.minimum(1.0, 2 * np.minimum(upper, lower))
    return result
