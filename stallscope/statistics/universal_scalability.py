"""Scalability models: the universal scalability law (USL) and Amdahl's law, its case kappa = 0.

    X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))

``sigma`` is the share of work that is done one after another (contention), ``kappa`` the cost of
keeping each pair consistent (coherence). The fit is bounded least squares on X: coefficients are
not negative. Source: Gunther, Guerrilla Capacity Planning, 2007, chapters 4 to 6.

    >>> fit = fit_usl([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])
    >>> f"{fit.sigma.value:.3f} {fit.kappa.value:.3f} peak {fit.peak:.1f}"
    '0.020 0.020 peak 7.0'

A fit costs about 2 ms; scipy is imported with the first one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stallscope.statistics.intervals import student_t_95

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_POINTS = 6  # fewer have no meaningful interval
_COEFFICIENTS = 3
# Two costs that differ by less, relative to the sum of squares of the data, are equal.
_COST_RESOLUTION = 1e-12
_TOLERANCE = 1e-12
# A term of the divisor that adds less than this at the largest count may be zero.
_SMALL_EFFECT = 0.02


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A fitted value with standard error and 95 % interval; None without degrees of freedom.

    ``fixed`` coefficients are given; ``at_bound`` ones are 0 because negative values are excluded.
    """

    value: float
    error: float | None = None
    low: float | None = None
    high: float | None = None
    fixed: bool = False
    at_bound: bool = False


@dataclass(frozen=True, slots=True)
class ScalabilityFit:
    """A fitted law; ``kappa`` is fixed at 0 for Amdahl's.

    ``covariance``: (3, 3), of lambda, sigma and kappa; None without degrees of freedom.
    """

    rate: Coefficient  # lambda: throughput of one
    sigma: Coefficient
    kappa: Coefficient
    residuals: tuple[float, ...]  # measured - fitted, in the unit of X
    r_squared: float | None
    degrees_of_freedom: int
    covariance: "Floats | None"

    def throughput(self, counts: "Sequence[float] | Floats") -> "Floats":
        """Return X at the counts."""
        return _throughput(self._values(), np.asarray(counts, dtype=float))

    def band(self, counts: "Sequence[float] | Floats") -> "tuple[Floats, Floats] | None":
        """Return the 95 % confidence band of X at the counts; None without an interval."""
        if self.covariance is None:
            return None
        n = np.asarray(counts, dtype=float)
        slopes = _jacobian(self._values(), n)
        variance = np.einsum("ij,jk,ik->i", slopes, self.covariance, slopes)
        half = student_t_95(self.degrees_of_freedom) * np.sqrt(np.maximum(variance, 0))
        middle = self.throughput(n)
        return np.maximum(middle - half, 0), middle + half

    @property
    def peak(self) -> float | None:
        """Return the count with the largest throughput; None if throughput has no peak."""
        if self.kappa.value <= 0:
            return None
        return max(1.0, math.sqrt(max(0.0, 1 - self.sigma.value) / self.kappa.value))

    @property
    def peak_throughput(self) -> float | None:
        """Return the throughput at the peak."""
        return None if self.peak is None else float(self.throughput([self.peak])[0])

    @property
    def limit(self) -> float | None:
        """Return lambda / sigma, which contention alone would allow; None if it is not bounded."""
        return None if self.sigma.value <= 0 else self.rate.value / self.sigma.value

    def _values(self) -> "Floats":
        return np.array([self.rate.value, self.sigma.value, self.kappa.value])


def fit_usl(
    counts: "Sequence[float] | Floats",
    throughputs: "Sequence[float] | Floats",
    *,
    fixed_rate: float | None = None,
) -> ScalabilityFit:
    """Return the universal scalability law for the points; lambda is free unless it is given.

    Raises ValueError for values that are not positive and finite, or for too few distinct counts.
    """
    n, x = _checked(counts, throughputs, _COEFFICIENTS - (fixed_rate is not None))
    free = [fixed_rate is None, True, True]
    return _described(n, x, _least_cost(n, x, fixed_rate, free), free)


def fit_amdahl(
    counts: "Sequence[float] | Floats",
    throughputs: "Sequence[float] | Floats",
    *,
    fixed_rate: float | None = None,
) -> ScalabilityFit:
    """Return Amdahl's law for the points; lambda is free unless it is given.

    Raises ValueError for values that are not positive and finite, or for too few distinct counts.
    """
    n, x = _checked(counts, throughputs, 2 - (fixed_rate is not None))
    free = [fixed_rate is None, True, False]
    return _described(n, x, _least_cost(n, x, fixed_rate, free), free)


def _checked(
    counts: "Sequence[float] | Floats", throughputs: "Sequence[float] | Floats", needed: int
) -> "tuple[Floats, Floats]":
    n, x = np.asarray(counts, dtype=float), np.asarray(throughputs, dtype=float)
    if n.shape != x.shape or n.ndim != 1:
        raise ValueError(f"{n.size} counts and {x.size} values of throughput")
    for name, values in (("count", n), ("throughput", x)):
        wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if wrong.size:
            place = int(wrong[0])
            raise ValueError(f"point {place + 1}: {name} {values[place]:g} is not a number above 0")
    if np.unique(n).size < needed:
        raise ValueError(f"{np.unique(n).size} counts; a fit of {needed} coefficients needs more")
    return n, x


def _throughput(values: "Floats", n: "Floats") -> "Floats":
    rate, sigma, kappa = values
    result: Floats = rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))
    return result


def _jacobian(values: "Floats", n: "Floats") -> "Floats":
    """Return the derivatives of X by lambda, sigma and kappa, (n_points, 3)."""
    rate, sigma, kappa = values
    divisor = 1 + sigma * (n - 1) + kappa * n * (n - 1)
    slope = -rate * n / divisor**2
    return np.stack([n / divisor, slope * (n - 1), slope * n * (n - 1)], axis=1)


def _least_cost(
    n: "Floats", x: "Floats", fixed_rate: float | None, free: Sequence[bool]
) -> "Floats":
    """Return the coefficients with the smallest sum of squares.

    The optimizer stays inside its bounds and only approaches zero. If a coefficient is that small,
    the fit without it is tried too, and wins if it is as good.
    """
    scale = float(x.max())
    rate = None if fixed_rate is None else fixed_rate / scale
    slack = _COST_RESOLUTION * float(np.sum((x / scale) ** 2))

    def fit(used: Sequence[bool]) -> "tuple[Floats, float]":
        values = _fitted(n, x / scale, rate, np.array(used))
        return values, float(np.sum((_throughput(values, n) - x / scale) ** 2))

    values, cost = fit(free)
    effects = (0.0, values[1] * n.max(), values[2] * n.max() ** 2)
    small = [place for place in (1, 2) if free[place] and effects[place] < _SMALL_EFFECT]
    for zeros in [{place} for place in small] + ([set(small)] if len(small) > 1 else []):
        candidate, other = fit([used and place not in zeros for place, used in enumerate(free)])
        if other <= cost + slack:
            values, cost = candidate, min(cost, other)
    values[0] *= scale
    return values


def _fitted(
    n: "Floats", x: "Floats", rate: float | None, free: "npt.NDArray[np.bool_]"
) -> "Floats":
    """Return the coefficients of one face; those that are not free are ``rate`` and zeros."""
    from scipy.optimize import least_squares  # noqa: PLC0415 - heavy

    start = _start(n, x, rate)
    start[1:][~free[1:]] = 0.0
    if not free.any():
        return start

    def whole(values: "Floats") -> "Floats":
        result = start.copy()
        result[free] = values
        return result

    def residuals(values: "Floats") -> "Floats":
        return _throughput(whole(values), n) - x

    fit = least_squares(
        residuals,
        np.maximum(start[free], 1e-9),
        jac=lambda values: _jacobian(whole(values), n)[:, free],
        bounds=(0.0, np.inf),
        x_scale=np.maximum(start[free], 1e-6),
        ftol=_TOLERANCE,
        xtol=_TOLERANCE,
        gtol=_TOLERANCE,
        max_nfev=200,
    )
    return whole(fit.x)


def _start(n: "Floats", x: "Floats", rate: float | None) -> "Floats":
    """Return start values: N / X is linear in 1 / lambda, sigma / lambda and kappa / lambda."""
    from scipy.optimize import nnls  # noqa: PLC0415

    columns = np.stack([np.ones_like(n), n - 1, n * (n - 1)], axis=1)
    if rate is not None:
        terms, _ = nnls(columns[:, 1:], np.maximum(rate * n / x - 1, 0))
        return np.array([rate, *terms])
    terms, _ = nnls(columns, n / x)
    if terms[0] <= 0:
        return np.array([float(np.max(x / n)), 0.1, 0.0])
    return np.array([1 / terms[0], terms[1] / terms[0], terms[2] / terms[0]])


def _described(n: "Floats", x: "Floats", values: "Floats", free: Sequence[bool]) -> ScalabilityFit:
    """Return the fit with its intervals."""
    residuals = x - _throughput(values, n)
    sum_of_squares = float(np.sum(residuals**2))
    around_mean = float(np.sum((x - x.mean()) ** 2))
    freedom = n.size - sum(free)
    covariance = _covariance(_jacobian(values, n), np.array(free), sum_of_squares, freedom)
    coefficients = []
    for place, value in enumerate(map(float, values)):
        if not free[place]:
            coefficients.append(Coefficient(value, fixed=True))
            continue
        bound = place > 0 and value == 0
        if covariance is None:
            coefficients.append(Coefficient(value, at_bound=bound))
            continue
        error = math.sqrt(max(0.0, float(covariance[place, place])))
        half = student_t_95(freedom) * error
        coefficients.append(
            Coefficient(value, error, max(0.0, value - half), value + half, at_bound=bound)
        )
    return ScalabilityFit(
        rate=coefficients[0],
        sigma=coefficients[1],
        kappa=coefficients[2],
        residuals=tuple(map(float, residuals)),
        r_squared=1 - sum_of_squares / around_mean if around_mean > 0 else None,
        degrees_of_freedom=freedom,
        covariance=covariance,
    )


def _covariance(
    slopes: "Floats", free: "npt.NDArray[np.bool_]", sum_of_squares: float, freedom: int
) -> "Floats | None":
    """Return the covariance of all coefficients, zero for fixed ones; None if it does not exist."""
    if freedom < 1:
        return None
    used = slopes[:, free]
    sizes = np.linalg.norm(used, axis=0)
    if not (sizes > 0).all():
        return None
    try:
        inverse = np.linalg.inv((used / sizes).T @ (used / sizes)) / np.outer(sizes, sizes)
    except np.linalg.LinAlgError:
        return None
    covariance = np.zeros((_COEFFICIENTS, _COEFFICIENTS))
    covariance[np.ix_(free, free)] = inverse * sum_of_squares / freedom
    return covariance
