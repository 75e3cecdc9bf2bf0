"""Builds the result of `stallscope diff` from the rows of both recordings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.diff.options import Basis, DiffOptions
from harness.diff.result import DiffResult, DiffSide, FrameDifference
from harness.diff.rows import RowKey, RowSums, aligned
from stallscope.errors import UsageError
from stallscope.statistics.block_shares import ShareDifferences, compare_shares

_UNITS = {
    Basis.SAMPLES: "share",
    Basis.TIME: "s per s",
    Basis.REQUEST: "s per request",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Self and total differences of the rows of two recordings."""

    keys: tuple[RowKey, ...]
    own: ShareDifferences
    total: ShareDifferences | None


def compare_rows(a: RowSums, b: RowSums, options: DiffOptions) -> Compared:
    """Return the differences by the options' basis. Raises UsageError if it does not apply."""
    if options.basis is not Basis.SAMPLES:
        a, b = _normalized(a, b, options)
    keys, left, right = aligned(a, b, totals=False)
    own = compare_shares(left, right)
    total = None
    if a.totals is not None and b.totals is not None:
        _, left, right = aligned(a, b, totals=True)
        total = compare_shares(left, right)
    return Compared(keys, own, total)


def _normalized(a: RowSums, b: RowSums, options: DiffOptions) -> tuple[RowSums, RowSums]:
    if a.value_per_part_s is None or b.value_per_part_s is None:
        raise UsageError(
            f"--per {options.basis}: the recordings' values are not times", "use --per samples"
        )
    if options.basis is Basis.REQUEST:
        assert options.work is not None
        return a.scaled(options.work[0]), b.scaled(options.work[1])
    if not a.seconds or not b.seconds:
        raise UsageError(
            "--per time: the duration of a recording is not known", "use --per samples"
        )
    return a.scaled(a.seconds), b.scaled(b.seconds)


@dataclass(frozen=True, slots=True)
class Sides:
    """Both recordings, their kind, and what must be said about them."""

    a: DiffSide
    b: DiffSide
    kind: str
    noun: str
    warnings: Sequence[str] = ()


def diff_result(compared: Compared, sides: Sides, options: DiffOptions) -> DiffResult:
    """Return the result; rows are in order of |delta|."""
    rows = tuple(_rows(compared))
    growth = [
        max(row.delta if row.flagged else 0.0, (row.total_delta or 0) if row.total_flagged else 0.0)
        for row in rows
    ]
    largest = max(growth, default=0.0)
    limit = options.fail_above
    return DiffResult(
        a=sides.a,
        b=sides.b,
        kind=sides.kind,
        noun=sides.noun,
        basis=str(options.basis),
        unit=_UNITS[options.basis],
        frames=rows,
        flagged=sum(row.flagged or row.total_flagged for row in rows),
        largest_growth=largest if largest > 0 else None,
        failed=limit is not None and largest > 0 and largest >= limit,
        warnings=tuple(sides.warnings),
    )


def _rows(compared: Compared) -> Iterator[FrameDifference]:
    own, total = compared.own, compared.total
    size = np.abs(own.delta)
    order = np.lexsort((np.zeros(len(size)) if total is None else -np.abs(total.delta), -size))
    for place in order.tolist():
        key = compared.keys[place]
        a_any = own.a[place] if total is None else total.a[place]
        b_any = own.b[place] if total is None else total.b[place]
        change = "appeared" if a_any == 0 else "vanished" if b_any == 0 else ""
        yield FrameDifference(
            name=key.name,
            module=key.module,
            a_share=float(own.a[place]),
            b_share=float(own.b[place]),
            delta=float(own.delta[place]),
            low=_finite(own.low[place]),
            high=_finite(own.high[place]),
            p=float(own.p[place]),
            flagged=bool(own.flagged[place]),
            change=change,
            overdispersion=_finite(own.overdispersion[place]) or 1.0,
            a_total=None if total is None else float(total.a[place]),
            b_total=None if total is None else float(total.b[place]),
            total_delta=None if total is None else float(total.delta[place]),
            total_flagged=total is not None and bool(total.flagged[place]),
        )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
