"""A comparison of recordings for the terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import printable, shorten, wrapped
from harness.diff.result import DiffResult, DiffSide, FrameDifference

MIN_NAME_WIDTH = 24
_NUMBERS_WIDTH = 66
PER_REQUEST = "s per request"
HEADS = ("A", "B", "Change", "95 % interval", "Total", "")


def lines(result: DiffResult, width: int, limit: int) -> Iterator[str]:
    """Yield the verdict, both recordings, and the rows with the largest changes."""
    yield from wrapped(verdict_text(result), width)
    yield ""
    for label, side in (("A", result.a), ("B", result.b)):
        yield from wrapped(f"{label}  {side_text(side)}", width, "   ")
    yield ""
    rows = shown_rows(result, limit)
    if rows:
        room = max(MIN_NAME_WIDTH, width - _NUMBERS_WIDTH)
        cells = [
            (shorten(printable(name), room), *rest)
            for name, *rest in table_cells(rows, result.unit)
        ]
        yield from columns([(result.noun.capitalize(), *HEADS), *cells])
        omitted = len(result.frames) - len(rows)
        if omitted > 0:
            yield f"{omitted:,} more rows; --json has all"
    for warning in result.warnings:
        yield from wrapped(warning, width, "  ")


def verdict_text(result: DiffResult) -> str:
    """Return what differs, in a sentence."""
    if not result.flagged:
        return f"No {result.noun} differs by more than the noise of the two recordings."
    row = next(item for item in result.frames if item.flagged or item.total_flagged)
    verb = "differs" if result.flagged == 1 else "differ"
    noun = result.noun if result.flagged == 1 else f"{result.noun}s"
    change = row.delta if row.flagged or row.total_delta is None else row.total_delta
    kind = "" if row.flagged else " with its callees"
    return (
        f"{result.flagged:,} {noun} {verb} by more than the noise. Largest change: "
        f"{row.name}{kind}, {_signed(change, result.unit)}."
    )


def side_text(side: DiffSide) -> str:
    """Return a recording in words."""
    parts = [side.recording, side.title]
    if side.samples is not None:
        parts.append(f"{side.samples:,} samples")
    if side.seconds is not None:
        parts.append(f"{side.seconds:.3g} s")
    return ", ".join(part for part in parts if part)


def shown_rows(result: DiffResult, limit: int) -> list[FrameDifference]:
    """Return the flagged rows and the largest others, at most ``limit``, in order of |delta|."""
    ranked = sorted(
        range(len(result.frames)),
        key=lambda n: (not (result.frames[n].flagged or result.frames[n].total_flagged), n),
    )
    return [result.frames[place] for place in sorted(ranked[:limit])]


def table_cells(rows: list[FrameDifference], unit: str) -> list[tuple[str, ...]]:
    """Return a row of cells per frame."""
    return [
        (
            row.name,
            _value(row.a_share, unit),
            _value(row.b_share, unit),
            _signed(row.delta, unit),
            interval_text(row, unit),
            "" if row.total_delta is None else _signed(row.total_delta, unit),
            mark_text(row),
        )
        for row in rows
    ]


def interval_text(row: FrameDifference, unit: str) -> str:
    """Return the interval of a change; "n/a" without one."""
    if row.low is None or row.high is None:
        return "n/a"
    return f"{_signed(row.low, unit)} to {_signed(row.high, unit)}"


def mark_text(row: FrameDifference) -> str:
    """Return the marks of a row."""
    mark = "differs" if row.flagged else "total differs" if row.total_flagged else ""
    return " ".join(part for part in (mark, row.change) if part)


def _value(amount: float, unit: str) -> str:
    """Return a value with its unit; a share is in percent."""
    return f"{amount * 1e6:.4g} \u00b5s" if unit == PER_REQUEST else f"{100 * amount:.4g} %"


def _signed(amount: float, unit: str) -> str:
    """Return a change; that of a share is in percentage points."""
    return f"{amount * 1e6:+.3g} \u00b5s" if unit == PER_REQUEST else f"{100 * amount:+.3g}"
