"""Paired measurements: the ratio or difference of each pair.

Both sides of a pair are measured shortly after one another, so that slow drift of the machine
cancels. Estimates and tests are then taken over the pairs, not over the two samples.
"""

from collections.abc import Sequence


def paired_ratios(
    numerators: Sequence[float | None], denominators: Sequence[float | None]
) -> list[float]:
    """Return the ratio of each pair with two values and a positive denominator, in order."""
    return [
        numerator / denominator
        for numerator, denominator in zip(numerators, denominators, strict=True)
        if numerator is not None and denominator is not None and denominator > 0
    ]


def paired_differences(
    minuends: Sequence[float | None], subtrahends: Sequence[float | None]
) -> list[float]:
    """Return the difference of each pair with two values, in order."""
    return [
        minuend - subtrahend
        for minuend, subtrahend in zip(minuends, subtrahends, strict=True)
        if minuend is not None and subtrahend is not None
    ]
