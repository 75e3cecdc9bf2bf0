"""The maps of a matrix for a terminal: numbers in rows and columns, a dash for a masked cell."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.io.mix.shown import CellShown, MapShown, MixShown

_MASKED = "-"


def lines(shown: MixShown, room: int) -> Iterator[str]:
    """Yield all maps and what was masked."""
    yield from wrapped(shown.title, room)
    facts = "; ".join(f"{label}: {text}" for label, text in shown.facts)
    yield from wrapped(facts, room, "  ") if facts else ()
    if not shown.complete:
        yield "interrupted: what was measured until then"
    most = [
        f"{rate:,.0f} {kind}/s alone"
        for kind, rate in (("reads", shown.most_reads), ("writes", shown.most_writes))
        if rate is not None
    ]
    yield from wrapped("At most " + " and ".join(most) if most else "Nothing was measured", room)
    for one in shown.maps:
        yield ""
        yield from wrapped(f"{one.title}: {one.across} across, {one.up} down", room, "  ")
        yield from columns(_rows(one))
    yield ""
    if shown.masked:
        told = f"A dash stands for a masked cell: {', '.join(shown.masked)}"
        yield from wrapped(f"{told} (missed: got under 97 % of its load)", room, "  ")
    for warning in shown.warnings:
        yield from wrapped(f"note: {warning}", room, "  ")


def _rows(one: MapShown) -> list[list[str]]:
    rows = [["", *one.columns]]
    for name, cells in zip(one.row_names, one.rows, strict=True):
        rows.append([name, *(_text(one, cell) for cell in cells)])
    return rows


def _text(one: MapShown, cell: CellShown) -> str:
    if cell.value is None:
        return "" if cell.is_blank else _MASKED
    return one.text(cell.value)
