"""Options of `stallscope load --rates`."""

import re
from dataclasses import dataclass

from harness.workload.options import LoadOptions
from stallscope.errors import UsageError

_RATE = re.compile(r"\d{1,10}(\.\d{1,6})?", re.ASCII)
_MAX_RATES = 16


@dataclass(frozen=True, slots=True)
class RatesOptions:
    """The loader's options, the rates in ascending order, and the rounds over all rates."""

    load: LoadOptions
    rates_per_s: tuple[float, ...]
    rounds: int = 5


def rates_of(text: str) -> tuple[float, ...]:
    """Return the rates of a list in ascending order; raises UsageError for fewer than two."""
    words = [word.strip() for word in text.split(",")]
    rates = sorted({float(word) for word in words if _RATE.fullmatch(word)})
    if not 2 <= len(rates) == len(words) <= _MAX_RATES or rates[0] <= 0:
        raise UsageError(
            f"--rates: {text[:80]!r} is not a list of 2 to {_MAX_RATES} different rates",
            "write it as 1000,4000,16000 (requests per second)",
        )
    return tuple(rates)
