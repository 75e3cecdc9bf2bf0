"""Quantiles of Student's t distribution, for 95 % intervals from few values."""

_TABLE = (
    12.7062,
    4.3027,
    3.1824,
    2.7764,
    2.5706,
    2.4469,
    2.3646,
    2.3060,
    2.2622,
    2.2281,
)  # one to ten degrees of freedom
_NORMAL = 1.959964


def two_sided_t(freedom: int) -> float:
    """Return the 0.975 quantile for so many degrees of freedom, at least one.

    Beyond ten by the expansion in 1/freedom (Abramowitz and Stegun, 1964, 26.7.5), within 1e-4.
    """
    if freedom <= len(_TABLE):
        return _TABLE[max(freedom, 1) - 1]
    x = _NORMAL
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / freedom + second / freedom**2 + third / freedom**3


def mean_interval(values: "list[float]") -> tuple[float, float]:
    """Return the mean of at least two values, and half of its 95 % interval."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, two_sided_t(len(values) - 1) * (variance / len(values)) ** 0.5
