"""Quantities as a person reads them in a page."""

import math

_TIME_STEPS = ((1e9, "s"), (1e6, "ms"), (1e3, "\u00b5s"), (1.0, "ns"))
_COUNT_STEPS = ((1e12, 1e12, "T"), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))


def _three_digits(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def value_text(value: int, unit: str) -> str:
    """A weight with its unit: nanoseconds as s, ms or us, counts with k, M, G, T."""
    if unit == "ns":
        for least, name in _TIME_STEPS:
            if value >= least:
                return f"{_three_digits(value / least)} {name}"
        return "0 s"
    for least, scale, prefix in _COUNT_STEPS:
        if value >= least:
            return f"{_three_digits(value / scale)} {prefix} {unit}"
    return f"{value:,} {unit}"


def share_text(share: float) -> str:
    """A share of 0..1 in percent; "not known" for NaN."""
    if math.isnan(share):
        return "not known"
    percent = 100 * share
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return "< 0.01 %"
    if percent >= 99.95:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if percent >= 10 else f"{percent:.2f} %"
