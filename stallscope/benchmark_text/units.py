"""Units of benchmark values: prefixes for printing, and which direction is better.

Thresholds and precision of the prefixes are those of golang.org/x/perf/benchunit, so that at least
three significant digits are shown and rounding never prints a fourth digit before the point.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BYTES = frozenset({"B", "MB", "bytes"})
# +1: higher is better, -1: lower is better
_DIRECTIONS = {"sec/op": -1, "ns/op": -1, "B/s": 1, "MB/s": 1, "B/op": -1, "allocs/op": -1}
Metadata = Mapping[tuple[str, str], str]


def has_binary_prefixes(unit: str) -> bool:
    """Return whether the unit counts bytes, whose prefixes are Ki, Mi and so on."""
    denominator = False
    for word in re.split(r"([*/]|-|\s)", unit):
        if word in ("*", "/"):
            denominator = word == "/"
        elif word in _BYTES and not denominator:
            return True
    return False


def better_direction(unit: str, metadata: Metadata) -> int:
    """Return 1 if higher values are better, -1 if lower ones are, 0 if that is unknown."""
    stated = metadata.get((base_unit(unit), "better"))
    if stated is not None:
        return {"higher": 1, "lower": -1}.get(stated, 0)
    return _DIRECTIONS.get(unit, 0)


def is_exact(unit: str, metadata: Metadata) -> bool:
    """Return whether values of the unit are exact: a repetition adds no information."""
    return metadata.get((base_unit(unit), "assume")) == "exact"


def base_unit(unit: str) -> str:
    """Return the unit in which values are held: sec instead of ns and B instead of MB."""
    from stallscope import _native  # noqa: PLC0415

    return _native.benchmark_base_unit(unit)


@dataclass(frozen=True, slots=True)
class UnitScale:
    """How a row of numbers is printed: digits after the point, divisor and prefix."""

    digits: int
    divisor: float
    prefix: str

    def text(self, value: float) -> str:
        """Return the value with the prefix."""
        return go_fixed(value / self.divisor, self.digits) + self.prefix


UNIT_SCALE = UnitScale(3, 1.0, "")


def go_fixed(value: float, digits: int) -> str:
    """Return a number as Go prints it with ``%.*f``."""
    if value - value != 0:  # NaN or infinite
        return "NaN" if value != value else "+Inf" if value > 0 else "-Inf"  # noqa: PLR0124
    return f"{value:.{digits}f}"


class ScaleTable:
    """The scales of a kind of unit by the smallest value of a row."""

    def __init__(self, *, binary: bool) -> None:
        """Build the thresholds of decimal or binary prefixes."""
        rows = _binary_rows() if binary else _decimal_rows()
        self._scales = [scale for _, scale in rows]
        self._thresholds = [threshold for threshold, _ in rows]

    def scale_of(self, smallest: float) -> UnitScale:
        """Return the scale for a smallest absolute value that is not zero; 0: all are zero."""
        if smallest == 0:
            return UNIT_SCALE
        if smallest != smallest:  # noqa: PLR0124
            return self._scales[0]
        return self._scales[max(0, bisect_right(self._thresholds, smallest) - 1)]

    @property
    def scales(self) -> list[UnitScale]:
        """Return all scales; ``indexes`` returns positions in this list."""
        return [*self._scales, UNIT_SCALE]

    def indexes(self, smallest: "npt.NDArray[np.float64]") -> "npt.NDArray[np.int64]":
        """Return for each smallest absolute value the position of its scale; 0: all are zero."""
        import numpy as np  # noqa: PLC0415

        index = np.searchsorted(self._thresholds, smallest, side="right") - 1
        index = np.maximum(index, 0)
        index = np.where(np.isnan(smallest), 0, index)
        return np.where(smallest == 0, len(self._scales), index)


def _decimal_rows() -> list[tuple[float, UnitScale]]:
    rows = []
    for index, prefix in enumerate(("T", "G", "M", "k", "", "m", "µ", "n")):
        exponent = 12 - 3 * index
        divisor = float(f"1e{exponent}")
        rows += _digit_rows(
            [float(f"{digits}e{exponent}") for digits in ("99.995", "9.9995", ".99995")],
            divisor,
            prefix,
        )
    return _with_more_digits(rows, float("1e-9"), "n")


def _binary_rows() -> list[tuple[float, UnitScale]]:
    rows = []
    for index, prefix in enumerate(("Ti", "Gi", "Mi", "Ki", "")):
        exponent = 40 - 10 * index
        thresholds = [
            float.fromhex(f"0x1.8ffae147ae148p{6 + exponent}"),  # 99.995
            float.fromhex(f"0x1.3ffbe76c8b439p{3 + exponent}"),  # 9.9995
            float.fromhex(f"0x1.fff972474538fp{-1 + exponent}"),  # 0.99995
        ]
        rows += _digit_rows(thresholds, 2.0**exponent, prefix)
    return _with_more_digits(rows, 1.0, "")


def _digit_rows(
    thresholds: list[float], divisor: float, prefix: str
) -> list[tuple[float, UnitScale]]:
    return [
        (threshold, UnitScale(digits, divisor, prefix))
        for digits, threshold in enumerate(thresholds, start=1)
    ]


def _with_more_digits(
    rows: list[tuple[float, UnitScale]], divisor: float, prefix: str
) -> list[tuple[float, UnitScale]]:
    """Return rows in ascending order, below the smallest prefix with up to ten digits."""
    import math  # noqa: PLC0415

    smaller = []
    for digits, exponent in enumerate(range(-1, -9, -1), start=3):
        bound = float(f"9.9995e{exponent}")
        # The comparison is of value / divisor, so the threshold is the first value that passes.
        threshold = bound * divisor
        while threshold / divisor < bound:
            threshold = math.nextafter(threshold, math.inf)
        while math.nextafter(threshold, 0) / divisor >= bound:
            threshold = math.nextafter(threshold, 0)
        smaller.append((threshold, UnitScale(digits, divisor, prefix)))
    return [*reversed(smaller), *reversed(rows)]
