"""A period of a recording, to which a profile is limited."""

import math

from msgspec import Struct

from stallscope.errors import UsageError


class Period(Struct, frozen=True):
    """Seconds since the first sample; the end is excluded."""

    begin_s: float
    end_s: float


def parse_period(text: str) -> Period:
    """Return the period of a text such as "12.5-17.5"; raises UsageError."""
    begin, _, end = text.partition("-")
    try:
        period = Period(float(begin), float(end))
    except ValueError:
        period = Period(math.nan, math.nan)
    if not 0 <= period.begin_s < period.end_s <= 1e9:
        raise UsageError(
            f"{text!r} is not a period", "write seconds from the begin, such as 12.5-17.5"
        )
    return period
