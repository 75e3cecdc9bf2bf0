"""The interval of a median as benchstat chooses it: order statistics, biased to the left.

Up to 30 values the ranks are added in the order of their binomial probability until the confidence
is reached; above that the binomial distribution is approximated by the normal one. Source:
github.com/aclements/go-moremath/stats, function QuantileCI.
"""

import math
from functools import cache

_MAX_EXACT_N = 30
_MAX_SEARCHED_N = 50


@cache
def interval_ranks(n: int, confidence: float) -> tuple[int, int]:
    """Return the ranks of the bounds, from 1; 0 and n + 1 are infinite."""
    if confidence >= 1:
        return 0, n + 1
    if n <= _MAX_EXACT_N:
        low, high = _exact_ranks(n, confidence)
    else:
        low, high = _normal_ranks(n, confidence)
    return max(low, 0), min(high, n + 1)


@cache
def needed_samples(confidence: float) -> tuple[str, int]:
    """Return ">=" or ">" and the number of samples for a finite interval."""
    for n in range(2, _MAX_SEARCHED_N + 1):
        low, high = interval_ranks(n, confidence)
        if low > 0 and high <= n:
            return ">=", n
    return ">", _MAX_SEARCHED_N


def _exact_ranks(n: int, confidence: float) -> tuple[int, int]:
    low = math.ceil((n + 1) * 0.5) - 1
    high = low + 1
    sum_inside = _probability(n, low)
    left, right = _probability(n, low - 1), _probability(n, high)
    while sum_inside < confidence and (left > 0 or right > 0):
        if left >= right:
            sum_inside += left
            low -= 1
            left = _probability(n, low - 1)
        else:
            sum_inside += right
            high += 1
            right = _probability(n, high)
    return low, high


def _probability(n: int, k: int) -> float:
    """Return the probability that k of n values lie below the median."""
    if k < 0 or k > n:
        return 0.0
    from stallscope._native import go_binomial  # noqa: PLC0415

    return go_binomial(n, k) * math.pow(0.5, k) * math.pow(0.5, n - k)


def _normal_ranks(n: int, confidence: float) -> tuple[int, int]:
    mean = n * 0.5
    deviation = math.sqrt(n * 0.5 * 0.5)
    lowest = _normal_quantile((1 - confidence) / 2) * deviation + mean
    highest = 2 * mean - lowest
    low = math.floor(math.floor(lowest - 0.5) + 0.5) + 1
    high = math.floor(math.ceil(highest - 0.5) + 0.5) + 1

    def share(first: int, last: int) -> float:
        return _normal_cdf((last - 0.5 - mean) / deviation) - _normal_cdf(
            (first - 0.5 - mean) / deviation
        )

    biased = share(low, high - 1)
    if confidence <= biased < share(low, high):
        high -= 1
    return low, high


def _normal_cdf(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


# Coefficients of Acklam's rational approximation of the normal quantile, 2003.
_CENTRAL = (
    (
        -3.969683028665376e01,
        2.209460984245205e02,
        -2.759285104469687e02,
        1.383577518672690e02,
        -3.066479806614716e01,
        2.506628277459239e00,
    ),
    (
        -5.447609879822406e01,
        1.615858368580409e02,
        -1.556989798598866e02,
        6.680131188771972e01,
        -1.328068155288572e01,
        1.0,
    ),
)
_TAIL = (
    (
        -7.784894002430293e-03,
        -3.223964580411365e-01,
        -2.400758277161838e00,
        -2.549732539343734e00,
        4.374664141464968e00,
        2.938163982698783e00,
    ),
    (
        7.784695709041462e-03,
        3.224671290700398e-01,
        2.445134137142996e00,
        3.754408661907416e00,
        1.0,
    ),
)
_TAIL_SHARE = 0.02425


def _normal_quantile(p: float) -> float:
    """Return the quantile of a share from 0 to 0.5, refined by one step of Halley's method."""
    if p <= 0:
        return -math.inf
    if p < _TAIL_SHARE:
        q = math.sqrt(-2 * math.log(p))
        x = _polynomial(_TAIL[0], q) / _polynomial(_TAIL[1], q)
    else:
        q = p - 0.5
        x = _polynomial(_CENTRAL[0], q * q) * q / _polynomial(_CENTRAL[1], q * q)
    error = 0.5 * math.erfc(-x / math.sqrt(2)) - p
    u = error * math.sqrt(2 * math.pi) * math.exp(x * x / 2)
    return x - u / (1 + x * u / 2)


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
