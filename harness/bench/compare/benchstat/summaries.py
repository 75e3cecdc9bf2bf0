"""Summaries and comparisons of the cells of a table, as benchstat computes them."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.bench.compare.benchstat.intervals import interval_ranks, needed_samples
from harness.bench.compare.benchstat.numbers import go_shortest, signed_percent
from stallscope.benchmark_text.grid import ABSENT, Grid, GridTable
from stallscope.benchmark_text.units import go_fixed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = npt.NDArray[np.float64]
    Ids = npt.NDArray[np.int64]

# Smallest p-value of two samples of n values
_SMALLEST_P = (2.0, 1.0, 1 / 3, 0.1, *(2 / math.comb(2 * n, n) for n in range(4, 10)))
_KIND_ALL_EQUAL, _KIND_EMPTY = 2, 3


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The level of intervals and the p-value below which a change is significant."""

    confidence: float = 0.95
    alpha: float = 0.05


class Summaries:
    """Centre, interval and warnings of each cell; positions are those of the grid's samples."""

    def __init__(self, grid: Grid, exact: "npt.NDArray[np.bool_]", limits: Thresholds) -> None:
        """Summarize all cells; ``exact``: the values of the cell are assumed to be exact."""
        import numpy as np  # noqa: PLC0415

        self.grid = grid
        samples = grid.samples
        self.sizes = samples.sizes()
        distinct, inverse = np.unique(self.sizes, return_inverse=True)
        ranks = [interval_ranks(n, limits.confidence) for n in distinct.tolist()]
        low_ranks = np.array([low for low, _ in ranks], dtype=np.int64)[inverse]
        high_ranks = np.array([high for _, high in ranks], dtype=np.int64)[inverse]
        self.lows = samples.order_statistics(low_ranks)
        self.highs = samples.order_statistics(high_ranks)
        self.centers = _medians(grid, self.sizes)
        self.warnings: dict[int, tuple[str, ...]] = {
            cell: (f"benchmarks vary in {', '.join(names)}",)
            for cell, names in grid.varying.items()
        }
        self._set_exact(np.flatnonzero(exact))
        self.infinite = (np.isinf(self.lows) | np.isinf(self.highs)) & ~exact
        sign, needed = needed_samples(limits.confidence)
        level = go_shortest(limits.confidence)
        self.interval_warning = (
            f"need {sign} {needed} samples for confidence interval at level {level}"
        )

    def _set_exact(self, cells: "Ids") -> None:
        """Replace the median by the most frequent value and the interval by the range."""
        for cell in cells.tolist():
            values = self.grid.samples.values(cell).tolist()
            mode, count = _mode(values)
            self.centers[cell], self.lows[cell], self.highs[cell] = mode, values[0], values[-1]
            if count != len(values):
                text = (
                    "exact distribution expected, but values range from "
                    f"{go_shortest(values[0])} to {go_shortest(values[-1])}"
                )
                self.warnings[cell] = (*self.warnings.get(cell, ()), text)

    def warnings_of(self, cell: int) -> tuple[str, ...]:
        """Return the warnings on the sample and its summary."""
        warnings = self.warnings.get(cell, ())
        return (*warnings, self.interval_warning) if self.infinite[cell] else warnings

    def ranges(self, cells: "Ids") -> list[str]:
        """Return the interval of each cell in percent of its centre; ABSENT cells are empty."""
        import numpy as np  # noqa: PLC0415

        centers, lows, highs = self.centers[cells], self.lows[cells], self.highs[cells]
        infinite = np.isinf(lows) | np.isinf(highs)
        with np.errstate(all="ignore"):
            same_sign = (np.sign(lows) == np.sign(centers)) & (np.sign(highs) == np.sign(centers))
            above, below = highs / centers - 1, 1 - lows / centers
            # As Go's math.Max: infinity is larger than NaN.
            unbounded = (above == np.inf) | (below == np.inf)
            percent = np.where(unbounded, np.inf, 100 * np.maximum(above, below))
        texts: dict[float, str] = {}
        result = []
        for cell, value, is_infinite, is_same, center in zip(
            cells.tolist(),
            percent.tolist(),
            infinite.tolist(),
            same_sign.tolist(),
            centers.tolist(),
            strict=True,
        ):
            if cell == ABSENT:
                result.append("")
            elif is_infinite:
                result.append("∞")
            elif not is_same:
                result.append("?")
            elif center == 0:
                result.append("0%")
            else:
                text = texts.get(value)
                if text is None:
                    text = texts[value] = f"{go_fixed(value, 0)}%"
                result.append(text)
        return result


def _medians(grid: Grid, sizes: "Ids") -> "Values":
    """Return medians as the quantile of Hyndman and Fan's definition 8, with its rounding."""
    import numpy as np  # noqa: PLC0415

    places = 1 / 3.0 + 0.5 * (sizes + 1 / 3.0)
    fraction, whole = np.modf(places)
    ranks = whole.astype(np.int64)
    below = grid.samples.order_statistics(np.clip(ranks, 1, sizes))
    above = grid.samples.order_statistics(np.clip(ranks + 1, 1, sizes))
    with np.errstate(invalid="ignore"):
        between = below + fraction * (above - below)
    return np.where((ranks <= 0) | (ranks >= sizes), below, between)


def _mode(values: list[float]) -> tuple[float, int]:
    mode, largest, count = values[0], 1, 1
    for before, value in pairwise(values):
        count = count + 1 if value == before else 1
        if count > largest:
            mode, largest = value, count
    return mode, largest


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Change and p-value of each row of a column against the first column; empty if absent."""

    deltas: list[str]
    tests: list[str]
    warnings: list[str]


def compare_column(
    summaries: Summaries, table: GridTable, column: int, limits: Thresholds, *, exact: bool
) -> Comparisons:
    """Return the comparison of a column with the first one."""
    import numpy as np  # noqa: PLC0415

    bases, heads = table.cells[:, 0], table.cells[:, column]
    both = np.flatnonzero((bases != ABSENT) & (heads != ABSENT))
    pair_bases = np.ascontiguousarray(bases[both])
    pair_heads = np.ascontiguousarray(heads[both])
    result = Comparisons([""] * len(bases), [""] * len(bases), [""] * len(bases))
    alpha = 0.0 if exact else limits.alpha
    sign, needed = _needed_for_test(limits.alpha)
    need = (
        f"need {sign} {needed} samples to detect a difference at alpha level "
        f"{go_shortest(limits.alpha)}"
    )
    if exact:
        p_values, kinds = [0.0] * len(both), [0] * len(both)
    else:
        _, doubled, kind_column = summaries.grid.samples.compare(pair_bases, pair_heads)
        p_values, kinds = doubled.tolist(), kind_column.tolist()
    rows = zip(
        both.tolist(),
        p_values,
        kinds,
        summaries.centers[pair_bases].tolist(),
        summaries.centers[pair_heads].tolist(),
        summaries.sizes[pair_bases].tolist(),
        summaries.sizes[pair_heads].tolist(),
        strict=True,
    )
    texts: dict[tuple[float, int, int], str] = {}
    for row, p, kind, base, head, n1, n2 in rows:
        result.deltas[row] = "~" if p > alpha else delta_text(base, head)
        test = texts.get((p, n1, n2))
        if test is None:
            test = texts[p, n1, n2] = p_and_sizes(p, n1, n2)
        result.tests[row] = test
        if kind == _KIND_ALL_EQUAL:
            result.warnings[row] = "all samples are equal"
        elif kind == _KIND_EMPTY:
            result.warnings[row] = "no value of a sample is a number"
        elif p > alpha and n1 < needed and n2 < needed:
            result.warnings[row] = need
    return result


def _needed_for_test(alpha: float) -> tuple[str, int]:
    for n in range(1, len(_SMALLEST_P)):
        if _SMALLEST_P[n] <= alpha:
            return ">=", n
    return ">", len(_SMALLEST_P)


def delta_text(base: float, head: float) -> str:
    """Return the change from a base in percent; "?" if the base is zero."""
    if base == head:
        return "0.00%"
    if base == 0:
        return "?"
    return signed_percent(head / base)


def p_and_sizes(p: float, n1: int, n2: int) -> str:
    """Return p-value and sizes, such as ``(p=0.008 n=5+4)``; without the p-value if it is 0."""
    size = f"n={n1}" if n1 == n2 else f"n={n1}+{n2}"
    return f"(p={p:.3f} {size})" if p != 0 else f"({size})"
