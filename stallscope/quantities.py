"""Quantities with their units, as text and from text.

Documents carry plain numbers whose names end in the unit: latency_ns, size_bytes, share (0..1). The
functions here are the only place that turns them into words for a terminal or a page.
"""

import math
import re

_SIZE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_SIZE_PATTERN = re.compile(r"([0-9]{1,12})\s*(?:([kKmMgGtT])(?:i?[bB])?)?")
_SIZE_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_TIME_STEPS = ((1e9, "s"), (1e6, "ms"), (1e3, "\u00b5s"), (1.0, "ns"))
_COUNT_STEPS = ((1e12, 1e12, "T"), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))
UNKNOWN = "not known"


def size_text(size_bytes: int) -> str:
    """Return a size in its largest binary unit, such as "1.25 MiB"."""
    power = 0
    while power + 1 < len(_SIZE_UNITS) and size_bytes >= 1024 ** (power + 1):
        power += 1
    return f"{size_bytes / 1024**power:.4g} {_SIZE_UNITS[power]}"


def parse_size(text: str) -> int | None:
    """Return the bytes of "4096", "48K", "48 KiB" or "1g"; None if the text is not a size."""
    match = _SIZE_PATTERN.fullmatch(text.strip())
    return int(match[1]) * _SIZE_FACTORS[(match[2] or "").lower()] if match else None


def count_text(count: int, noun: str) -> str:
    """Return a count with a noun whose plural ends in s, such as "1 host" or "1,200 hosts"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def value_text(value: int, unit: str) -> str:
    """Return a value with its unit, such as "1.25 ms" for the unit "ns", or "2.50 G cycles"."""
    if unit == "ns":
        for step, name in _TIME_STEPS:
            if value >= step:
                return f"{_three_digits(value / step)} {name}"
        return "0 s"
    for step, scale, prefix in _COUNT_STEPS:
        if value >= step:
            return f"{_three_digits(value / scale)} {prefix} {unit}"
    return f"{value:,} {unit}"


def microseconds_text(value_us: float | None) -> str:
    """Return a time in microseconds, ms or s with three digits; "n/a" for None."""
    if value_us is None:
        return "n/a"
    for step, unit in ((1e6, "s"), (1e3, "ms")):
        if value_us >= step:
            return f"{value_us / step:.3g} {unit}"
    return f"{value_us:.3g} \u00b5s"


def share_text(share: float) -> str:
    """Return a share of 0..1 in percent; "not known" for NaN."""
    if math.isnan(share):
        return UNKNOWN
    percent = 100 * share
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return "< 0.01 %"
    if percent >= 99.95:
        return f"{percent:.0f} %"
    return f"{percent:.1f} %" if percent >= 10 else f"{percent:.2f} %"


def _three_digits(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
