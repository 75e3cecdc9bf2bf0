"""Writes benchmark results in the Go format.

    lines = [
        configuration_line("goos", "linux"),
        unit_line("req/s", better="higher"),
        result_line("Get/size=64", 1000, {"sec/op": 1.2e-6, "req/s": 50_000}),
    ]

Values are written with all digits, so that reading them gives the same numbers.
"""

import math
import re
from collections.abc import Mapping

_KEY = re.compile(r"[a-z][^\s:A-Z]*")
_MAX_TEXT = 4096


def configuration_line(key: str, value: str) -> str:
    """Return ``key: value``; an empty value removes the key. ValueError if the key is not valid."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not a configuration key: lower case, no space, no colon")
    return f"{key}: {' '.join(value.split())[:_MAX_TEXT]}".rstrip()


def unit_line(unit: str, **metadata: str) -> str:
    """Return a ``Unit`` line, such as ``Unit req/s better=higher``."""
    return " ".join(["Unit", _field(unit), *(f"{k}={_field(v)}" for k, v in metadata.items())])


def result_line(name: str, iterations: int, values: Mapping[str, float | None]) -> str:
    """Return a result line; values that are None or not finite are left out.

    Space in the name becomes "_". ValueError if no value remains.
    """
    measured = [
        f"{_number(value)} {_field(unit)}"
        for unit, value in values.items()
        if value is not None and math.isfinite(value)
    ]
    if not measured:
        raise ValueError(f"benchmark {name!r} has no value")
    return "\t".join([f"Benchmark{_field(name)}", str(iterations), *measured])


def _field(text: str) -> str:
    return re.sub(r"\s+", "_", text.strip())[:_MAX_TEXT] or "_"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
