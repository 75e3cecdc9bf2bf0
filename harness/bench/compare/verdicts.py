"""Statistics of all cells and comparisons of a grid, in columns of numbers."""

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable
from stallscope.benchmark_text.units import Metadata, better_direction, is_exact
from stallscope.statistics.estimate import min_sample_size, trimmed_values
from stallscope.statistics.multiple_tests import ALPHA, min_group_size

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]
    Ids = npt.NDArray[np.int64]

NO_DIFFERENCE = "no difference"
WORSE, BETTER = "worse", "better"


class CellStatistics:
    """Median, interval and size of each cell without NaN; NaN stands for a missing number."""

    def __init__(self, grid: Grid, confidence: float) -> None:
        """Compute the statistics of all cells."""
        import numpy as np  # noqa: PLC0415

        samples = grid.samples
        not_numbers = samples.nan_counts()
        self.not_numbers = int(not_numbers.sum())
        self.sizes = samples.sizes() - not_numbers
        distinct, inverse = np.unique(self.sizes, return_inverse=True)
        trimmed = np.array([trimmed_values(n, confidence) for n in distinct.tolist()])[inverse]
        low_ranks = (trimmed + 1).astype(np.int64)
        middle = (self.sizes + 1) // 2

        def statistic(ranks: "Ids") -> "Values":
            statistics = samples.order_statistics(np.ascontiguousarray(ranks + not_numbers))
            return np.where(self.sizes > 0, statistics, np.nan)

        with np.errstate(invalid="ignore"):
            halves = (statistic(middle) / 2, statistic(self.sizes + 1 - middle) / 2)
            self.medians = halves[0] + halves[1]
        enough = self.sizes >= min_sample_size(confidence)
        self.lows = np.where(enough, statistic(low_ranks), np.nan)
        self.highs = np.where(enough, statistic(self.sizes + 1 - low_ranks), np.nan)


@dataclass(frozen=True, slots=True)
class ColumnComparison:
    """A column of a table beside its base: for each row the change, the p-value and the verdict.

    Rows without both samples have NaN, and the verdict says which is there.
    """

    table: GridTable
    place: int
    deltas: "Values"
    p_values: "Values"
    p_holm: "Values"
    verdicts: list[str]


def compare_columns(
    grid: Grid, cells: CellStatistics, metadata: Metadata, alpha: float
) -> list[ColumnComparison]:
    """Return all columns of all tables; p-values are corrected for the rows of all of them."""
    import numpy as np  # noqa: PLC0415

    compared = []
    for table in grid.tables:
        for place in range(1, len(table.columns)):
            compared.append(_tested(grid, cells, table, place))
    tested = [
        np.zeros(len(p), dtype=bool) if is_exact(table.unit, metadata) else ~np.isnan(p)
        for table, _, _, p in compared
    ]
    together = [p[mask] for (_, _, _, p), mask in zip(compared, tested, strict=True)]
    corrected = holm_column(np.concatenate(together) if together else np.zeros(0))
    results = []
    begin = 0
    for (table, place, deltas, p), mask in zip(compared, tested, strict=True):
        p_values = np.where(mask, p, np.nan)
        p_holm = np.full(len(p), np.nan)
        end = begin + int(mask.sum())
        p_holm[mask] = corrected[begin:end]
        begin = end
        exact = is_exact(table.unit, metadata)
        direction = better_direction(table.unit, metadata)
        judge = _Judge(cells, direction, alpha, len(corrected), exact=exact)
        verdicts = judge.verdicts(table, place, p_holm)
        results.append(ColumnComparison(table, place, deltas, p_values, p_holm, verdicts))
    return results


def _tested(
    grid: Grid, cells: CellStatistics, table: GridTable, place: int
) -> tuple[GridTable, int, "Values", "Values"]:
    import numpy as np  # noqa: PLC0415

    bases, heads = table.cells[:, 0], table.cells[:, place]
    both = (bases != ABSENT) & (heads != ABSENT)
    both[both] &= (cells.sizes[bases[both]] > 0) & (cells.sizes[heads[both]] > 0)
    p_values = np.full(len(bases), np.nan)
    deltas = np.full(len(bases), np.nan)
    p_values[both] = grid.samples.compare(
        np.ascontiguousarray(bases[both]), np.ascontiguousarray(heads[both])
    )[0]
    with np.errstate(all="ignore"):
        a, b = cells.medians[bases[both]], cells.medians[heads[both]]
        ratios = (b - a) / np.abs(a)
    deltas[both] = np.where(a == b, 0.0, np.where(np.isfinite(ratios), ratios, np.nan))
    return table, place, deltas, p_values


def holm_column(p_values: "Values") -> "Values":
    """Return the p-values adjusted by Holm's method, as stallscope.statistics does for lists."""
    import numpy as np  # noqa: PLC0415

    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.maximum.accumulate(np.minimum(1.0, p_values[order] * factors))
    result = np.empty(len(p_values))
    result[order] = adjusted
    return result


class _Judge:
    """Turns the numbers of a row into a verdict."""

    def __init__(
        self,
        cells: CellStatistics,
        direction: int,
        alpha: float,
        comparisons: int,
        *,
        exact: bool,
    ) -> None:
        self._cells, self._alpha, self._exact = cells, alpha, exact
        self._comparisons = comparisons
        # Words for a smaller and a larger value.
        self._smaller, self._larger = {1: (WORSE, BETTER), -1: (BETTER, WORSE)}.get(
            direction, ("lower", "higher")
        )
        self._needed = f"need {needed_size(comparisons, alpha)}"

    def verdicts(self, table: GridTable, place: int, p_holm: "Values") -> list[str]:
        """Return the verdict of each row."""
        bases, heads = table.cells[:, 0].tolist(), table.cells[:, place].tolist()
        sizes = self._cells.sizes.tolist()
        medians = self._cells.medians.tolist()
        result = []
        for base, head, p in zip(bases, heads, p_holm.tolist(), strict=True):
            if base == ABSENT or sizes[base] == 0:
                result.append("only b")
            elif head == ABSENT or sizes[head] == 0:
                result.append("only a")
            else:
                sign = medians[head] - medians[base]
                result.append(self._word(sign, p, sizes[base], sizes[head]))
        return result

    def _word(self, sign: float, p: float, n1: int, n2: int) -> str:
        if self._exact or p < self._alpha:
            if sign == 0 or math.isnan(sign):
                return NO_DIFFERENCE
            return self._larger if sign > 0 else self._smaller
        if not can_reach(n1, n2, self._comparisons, self._alpha):
            return self._needed
        return NO_DIFFERENCE


_LARGE = 1000


@cache
def can_reach(n1: int, n2: int, comparisons: int, alpha: float) -> bool:
    """Return whether the smallest p-value of two samples, corrected, is below alpha."""
    if min(n1, n2) > _LARGE:  # far below any alpha; the number of ways has hundreds of digits
        return alpha > 0
    return 2 / math.comb(n1 + n2, n1) * max(1, comparisons) < alpha


@cache
def needed_size(comparisons: int, alpha: float) -> int:
    """Return the smallest size of two equal samples whose U test can reach alpha."""
    size = min_group_size(comparisons) if alpha == ALPHA else 1
    while not can_reach(size, size, comparisons, alpha) and size < 500:
        size += 1
    return size
