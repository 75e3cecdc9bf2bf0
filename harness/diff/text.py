"""A comparison of recordings for the terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import printable, shorten, wrapped
from harness.diff.result import DiffResult, DiffSide, FrameDifference

MIN_NAME_WIDTH = 24
_NUMBERS_WIDTH = 66
PER_REQUEST = "s per request"
IPC_UNIT = "instructions per cycle"
BASES = {"samples": "share of all samples", "time": "per second", "request": "per request"}


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
        yield from columns([heads(result), *cells])
        omitted = len(result.frames) - len(rows)
        if omitted > 0:
            yield f"{omitted:,} more rows; --json has all"
    for warning in result.warnings:
        yield from wrapped(warning, width, "  ")


def heads(result: DiffResult) -> tuple[str, ...]:
    """Return the heads of the table; changes of shares are in percentage points."""
    unit = "" if result.unit == PER_REQUEST else ", points"
    return (
        *(result.noun.capitalize(), "A", "B", f"Change{unit}", "95 % interval", f"Total{unit}"),
        "",
    )


def verdict_text(result: DiffResult) -> str:
    """Return what differs, in a sentence."""
    if not result.flagged:
        return f"No {result.noun} differs by more than the noise of the two recordings."
    row = next(item for item in result.frames if item.flagged or item.total_flagged)
    verb = "differs" if result.flagged == 1 else "differ"
    noun = result.noun if result.flagged == 1 else f"{result.noun}s"
    change = row.delta if row.flagged or row.total_delta is None else row.total_delta
    kind = "" if row.flagged else " with its callees"
    unit = _unit(row, result.unit)
    points = "" if unit in (PER_REQUEST, IPC_UNIT) else " points"
    return (
        f"{result.flagged:,} {noun} {verb} by more than the noise. Largest change: "
        f"{row.name}{kind}, {_signed(change, unit)}{points}."
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
            _value(row.a_share, _unit(row, unit)),
            _value(row.b_share, _unit(row, unit)),
            _signed(row.delta, _unit(row, unit)),
            interval_text(row, _unit(row, unit)),
            "" if row.total_delta is None else _signed(row.total_delta, _unit(row, unit)),
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


def _unit(row: FrameDifference, unit: str) -> str:
    """Return the unit of a row; IPC is not a share."""
    return IPC_UNIT if row.module == IPC_UNIT else unit


def _value(amount: float, unit: str) -> str:
    """Return a value with its unit; a share is in percent."""
    if unit == PER_REQUEST:
        return f"{amount * 1e6:.4g} \u00b5s"
    return f"{amount:.4g} per cycle" if unit == IPC_UNIT else f"{100 * amount:.4g} %"


def _signed(amount: float, unit: str) -> str:
    """Return a change; that of a share is in percentage points."""
    if unit == PER_REQUEST:
        return f"{amount * 1e6:+.3g} \u00b5s"
    return f"{amount:+.3g} per cycle" if unit == IPC_UNIT else f"{100 * amount:+.3g}"
