"""The maps of a matrix as text, page and picture show them, read of its document again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stallscope.json_fields import Fields
from stallscope.quantities import size_text, value_text


@dataclass(frozen=True, slots=True)
class CellShown:
    """A cell of a map: a value, or why there is none; blank where none can be."""

    value: float | None
    why: str
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class MapShown:
    """A heat map: ``rows`` of cells under ``columns``, the first row at the bottom."""

    title: str
    across: str
    up: str
    columns: tuple[str, ...]
    row_names: tuple[str, ...]
    rows: tuple[tuple[CellShown, ...], ...]
    is_time: bool

    def text(self, value: float) -> str:
        """Return a value as a person reads it."""
        return value_text(round(value), "ns") if self.is_time else f"{size_text(round(value))}/s"

    @property
    def values(self) -> list[float]:
        """Return all values there are."""
        return [cell.value for row in self.rows for cell in row if cell.value is not None]


@dataclass(frozen=True, slots=True)
class MixShown:
    """All that is shown of a matrix."""

    path: str
    source: str
    requests: str
    most_reads: float | None
    most_writes: float | None
    maps: tuple[MapShown, ...]
    masked: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    complete: bool

    @property
    def title(self) -> str:
        """Return what was measured, in a line."""
        return f"Reads and writes together on {self.path}: {self.requests}, {self.source}"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the document."""

    outcome: str
    why: str
    bytes_per_s: float | None
    reads: Fields
    writes: Fields


_Pick = Callable[[_Cell], float | None]
_NO_LOAD = CellShown(None, "no load", is_blank=True)


def mix_shown(fields: Fields) -> MixShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    facts = fields.fields("facts")
    found = fields.objects("cells")
    sizes = fields.objects("sizes")
    cells = [_cell(one) for one in found]
    cells += [_cell(one) for row in sizes for one in row.objects("cells")]
    return MixShown(
        path=fields.text("path"),
        source=fields.text("source"),
        requests=f"{size_text(fields.count('block_bytes'))} at random",
        most_reads=fields.maybe_number("most_reads_per_s"),
        most_writes=fields.maybe_number("most_writes_per_s"),
        maps=(*_matrix_maps(fields, found), *_size_maps(fields, sizes)),
        masked=_masked(cells),
        facts=tuple((label, facts.text(label)) for label in facts.values),
        warnings=fields.texts("warnings"),
        complete=fields.boolean("complete"),
    )


def _cell(one: Fields) -> _Cell:
    return _Cell(
        one.text("outcome"),
        one.text("why"),
        one.maybe_number("bytes_per_s"),
        one.fields("read_latency_ns"),
        one.fields("write_latency_ns"),
    )


_PICKS: dict[str, tuple[_Pick, bool]] = {
    "p50 of reads": (lambda cell: cell.reads.maybe_number("p50"), True),
    "p99 of reads": (lambda cell: cell.reads.maybe_number("p99"), True),
    "p50 of writes": (lambda cell: cell.writes.maybe_number("p50"), True),
    "p99 of writes": (lambda cell: cell.writes.maybe_number("p99"), True),
    "bandwidth": (lambda cell: cell.bytes_per_s, False),
}


def _matrix_maps(fields: Fields, found: Sequence[Fields]) -> list[MapShown]:
    """Return the maps of reads by writes; none where there is no matrix."""
    shares = fields.numbers("shares")
    cells = {
        (one.maybe_number("of_most_reads"), one.maybe_number("of_most_writes")): _cell(one)
        for one in found
    }
    if not cells:
        return []
    columns = _rates(shares, fields.maybe_number("most_reads_per_s"))
    names = _rates(shares, fields.maybe_number("most_writes_per_s"))
    maps = []
    for title, (pick, is_time) in _PICKS.items():
        rows = tuple(
            tuple(_picked(cells.get((across, up)), pick) for across in shares) for up in shares
        )
        maps.append(MapShown(title, "reads/s", "writes/s", columns, names, rows, is_time))
    return maps


def _rates(shares: Sequence[float], most: float | None) -> tuple[str, ...]:
    """Return the rates of shares; the shares where it is not known what they are of."""
    return tuple(f"{share:.0%}" if most is None else f"{share * most:,.0f}" for share in shares)


def _size_maps(fields: Fields, sizes: Sequence[Fields]) -> list[MapShown]:
    """Return the maps of sizes by load, reads and writes apart."""
    columns = tuple(f"{share:.0%}" for share in fields.numbers("size_shares"))
    maps = []
    for kind in ("reads", "writes"):
        rows = [one for one in sizes if one.text("kind") == kind]
        names = tuple(size_text(one.count("block_bytes")) for one in rows)
        for title, (pick, is_time) in _PICKS.items() if rows and columns else ():
            if title.endswith(kind) or title == "bandwidth":
                cells = tuple(_size_row(one, pick, len(columns)) for one in rows)
                head = (
                    f"{title} by size" if title.endswith(kind) else f"bandwidth of {kind} by size"
                )
                across = "share of the size's most requests/s"
                maps.append(MapShown(head, across, "size", columns, names, cells, is_time))
    return maps


def _size_row(row: Fields, pick: _Pick, length: int) -> tuple[CellShown, ...]:
    cells = [_picked(_cell(one), pick) for one in row.objects("cells")[:length]]
    return (*cells, *[CellShown(None, "not measured")] * (length - len(cells)))


def _picked(cell: _Cell | None, pick: _Pick) -> CellShown:
    if cell is None:
        return _NO_LOAD
    value = pick(cell)
    if value is None and not cell.why:
        return CellShown(None, "no such requests", is_blank=True)
    return CellShown(value, cell.why)


def _masked(cells: Sequence[_Cell]) -> tuple[str, ...]:
    """Return how many cells were masked, by outcome."""
    counts: dict[str, int] = {}
    for one in cells:
        if one.outcome != "kept":
            counts[one.outcome] = counts.get(one.outcome, 0) + 1
    return tuple(f"{count} of {len(cells)} cells {what}" for what, count in counts.items())
