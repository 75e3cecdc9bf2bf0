"""The last row of a benchstat table: geometric means of columns and of their ratios."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.bench.compare.benchstat.summaries import Summaries
from stallscope.benchmark_text.grid import ABSENT, GridTable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]

LABEL = "geomean"


@dataclass(frozen=True, slots=True)
class Total:
    """The geometric means of a column; None if there is none."""

    center: float | None
    ratio: float | None
    warnings: tuple[str, ...]


def column_total(summaries: Summaries, table: GridTable, column: int) -> Total:
    """Return the geometric mean of a column's centres, and of their ratios to the first column."""
    cells = table.cells[:, column]
    present = cells != ABSENT
    centers = summaries.centers[cells[present]]
    warnings: list[str] = []
    ratio = None
    if column > 0:
        bases = table.cells[:, 0]
        both = present & (bases != ABSENT)
        if int((bases != ABSENT).sum()) != int(both.sum()):
            warnings.append("benchmark set differs from baseline; geomeans may not be comparable")
    center = geometric_mean(centers)
    if center is None:
        warnings.append("summaries must be >0 to compute geomean")
    if column > 0:
        ratios = _ratios(summaries.centers[bases[both]], summaries.centers[cells[both]])
        if ratios is not None:
            ratio = geometric_mean(ratios)
            if ratio is None:
                warnings.append("ratios must be >0 to compute geomean")
    return Total(center, ratio, tuple(warnings))


def _ratios(bases: "Values", heads: "Values") -> "Values | None":
    """Return each head divided by its base; None if the base is zero. 0 divided by 0 is 1."""
    import numpy as np  # noqa: PLC0415

    same = bases == heads
    if np.any((bases == 0) & ~same):
        return None
    with np.errstate(all="ignore"):
        return np.where(same, 1.0, heads / bases)


def geometric_mean(values: "Values") -> float | None:
    """Return the geometric mean; None if there is no value or one is not positive."""
    import numpy as np  # noqa: PLC0415

    from stallscope import _native  # noqa: PLC0415

    mean = _native.geometric_mean(np.ascontiguousarray(values, dtype=np.float64))
    return None if math.isnan(mean) else mean
