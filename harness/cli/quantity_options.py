"""Sizes, times and shares on the command line, with their units."""

import re

from stallscope.errors import UsageError
from stallscope.quantities import parse_size

_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ns|us|µs|ms|s)")
_SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*(ms|s|m|h|)")
_UNIT_S = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_SHARE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}) ?(%?)")
_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}


def size_of(option: str, text: str) -> int:
    """Return a size in bytes; UsageError if the text is not a size."""
    size = parse_size(text)
    if not size:
        raise UsageError(f"{option}: {text!r} is not a size", f"for example: {option} 4K")
    return size


def time_ns(option: str, text: str | None) -> float | None:
    """Return a time in ns, or None without a text; UsageError if the text is not a time."""
    if text is None:
        return None
    match = _TIME.fullmatch(text.strip())
    time = float(match[1]) * _NS[match[2]] if match else 0.0
    if time <= 0:
        raise UsageError(f"{option}: {text!r} is not a time", f"for example: {option} 2ms")
    return time


def parse_seconds(text: str) -> float | None:
    """Return a time such as 30s, 2m or 1.5 in seconds; None if the text is not a time."""
    match = _SECONDS.fullmatch(text.strip())
    return float(match[1]) * _UNIT_S[match[2]] if match else None


def seconds_of(option: str, text: str) -> float:
    """Return a time above 0 in seconds; UsageError if the text is not one."""
    seconds = parse_seconds(text)
    if not seconds:
        raise UsageError(
            f"{option}: {text[:80]!r} is not a time above 0", f"for example: {option} 30s or 2m"
        )
    return seconds


def share_of(option: str, text: str) -> float:
    """Return a share of 0..1 from "2%" or "0.02". Raises UsageError.

    "1" is refused: it may be meant as 1 % or as 100 %.
    """
    match = _SHARE.fullmatch(text.strip())
    share = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= share <= 1 or (share == 1 and match and not match[2]):
        raise UsageError(
            f"{option}: {text[:80]!r} is not a share", f"for example: {option} 1% or {option} 0.01"
        )
    return share
