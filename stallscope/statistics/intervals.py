"""95 % intervals of means and shares, and the quantiles they need.

The quantiles are computed here because commands that print a report within a fraction of a second
need them: importing scipy.special costs more than the rest of such a command. The tests compare
each function with scipy.
"""

import math
from collections.abc import Sequence

NORMAL_95 = 1.959963984540054  # 0.975 quantile of the normal distribution

# 0.975 quantiles of Student's t for 1 to 10 degrees of freedom
_T_95 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)


def student_t_95(degrees_of_freedom: int) -> float:
    """Return the 0.975 quantile of Student's t distribution, within 2e-4.

    Above ten degrees of freedom it is the expansion in 1 / degrees_of_freedom of Abramowitz and
    Stegun, Handbook of Mathematical Functions, 1964, 26.7.5. Less than one counts as one.
    """
    if degrees_of_freedom <= len(_T_95):
        return _T_95[max(degrees_of_freedom, 1) - 1]
    x, n = NORMAL_95, degrees_of_freedom
    first = (x**3 + x) / 4
    second = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    third = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    return x + first / n + second / n**2 + third / n**3


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of at least two values, and half the width of its 95 % interval."""
    n = len(values)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    return mean, student_t_95(n - 1) * math.sqrt(variance / n)


def wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of the share ``count / total``; (0, 1) if the total is 0.

    It assumes independent samples. Source: Wilson, Probable inference, the law of
    succession, and statistical inference, 1927.
    """
    if not total:
        return 0.0, 1.0
    z2 = NORMAL_95 * NORMAL_95
    share = count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    spread = math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    half_width = NORMAL_95 * spread / (1 + z2 / total)
    low = 0.0 if count == 0 else max(0.0, middle - half_width)
    high = 1.0 if count == total else min(1.0, middle + half_width)
    return low, high
