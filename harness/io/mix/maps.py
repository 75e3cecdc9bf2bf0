"""The heat maps of a mix, for text, page and picture."""

from collections.abc import Callable, Sequence

from harness.io.mix.result import LoadCell, MixResult, SizeCells
from harness.page.heat_map import HeatMap, HeatMapCell
from stallscope.quantities import size_text

_CellValue = Callable[[LoadCell], float | None]
_NO_LOAD = HeatMapCell(None, "no load", is_blank=True)
_QUANTITIES: dict[str, tuple[_CellValue, bool]] = {
    "p50 of reads": (lambda cell: cell.read_latency_ns.p50 if cell.read_latency_ns else None, True),
    "p99 of reads": (lambda cell: cell.read_latency_ns.p99 if cell.read_latency_ns else None, True),
    "p50 of writes": (
        lambda cell: cell.write_latency_ns.p50 if cell.write_latency_ns else None,
        True,
    ),
    "p99 of writes": (
        lambda cell: cell.write_latency_ns.p99 if cell.write_latency_ns else None,
        True,
    ),
    "bandwidth": (lambda cell: cell.bytes_per_s, False),
}


def heat_maps(result: MixResult) -> tuple[HeatMap, ...]:
    """Return the maps of the matrix and of the request sizes."""
    return (*_matrix_maps(result), *_size_maps(result))


def masked_counts(result: MixResult) -> tuple[str, ...]:
    """Return the number of masked cells by outcome."""
    counts: dict[str, int] = {}
    for cell in result.all_cells:
        if cell.outcome != "kept":
            counts[cell.outcome] = counts.get(cell.outcome, 0) + 1
    total = len(result.all_cells)
    return tuple(f"{count} of {total} cells {outcome}" for outcome, count in counts.items())


def _matrix_maps(result: MixResult) -> list[HeatMap]:
    """Return the maps of reads by writes; empty without a matrix."""
    cells = {(cell.of_max_reads, cell.of_max_writes): cell for cell in result.cells}
    if not cells:
        return []
    columns = _rate_texts(result.shares, result.max_reads_per_s)
    row_names = _rate_texts(result.shares, result.max_writes_per_s)
    maps = []
    for title, (value, is_time) in _QUANTITIES.items():
        rows = tuple(
            tuple(_map_cell(cells.get((reads, writes)), value) for reads in result.shares)
            for writes in result.shares
        )
        maps.append(HeatMap(title, "reads/s", "writes/s", columns, row_names, rows, is_time))
    return maps


def _rate_texts(shares: Sequence[float], maximum: float | None) -> tuple[str, ...]:
    """Return the rates of shares; the shares themselves if the maximum is unknown."""
    return tuple(
        f"{share:.0%}" if maximum is None else f"{share * maximum:,.0f}" for share in shares
    )


def _size_maps(result: MixResult) -> list[HeatMap]:
    """Return the maps of request size by load, for reads and for writes."""
    columns = tuple(f"{share:.0%}" for share in result.size_shares)
    maps = []
    for kind in ("reads", "writes"):
        sizes = [row for row in result.sizes if row.kind == kind]
        row_names = tuple(size_text(row.block_bytes) for row in sizes)
        for title, (value, is_time) in _QUANTITIES.items() if sizes and columns else ():
            if title.endswith(kind) or title == "bandwidth":
                rows = tuple(_size_row(row, value, len(columns)) for row in sizes)
                quantity = title if title.endswith(kind) else f"bandwidth of {kind}"
                x_title = "share of the size's maximum requests/s"
                maps.append(
                    HeatMap(
                        f"{quantity} by size", x_title, "size", columns, row_names, rows, is_time
                    )
                )
    return maps


def _size_row(row: SizeCells, value: _CellValue, length: int) -> tuple[HeatMapCell, ...]:
    cells = [_map_cell(cell, value) for cell in row.cells[:length]]
    return (*cells, *[HeatMapCell(None, "not measured")] * (length - len(cells)))


def _map_cell(cell: LoadCell | None, value: _CellValue) -> HeatMapCell:
    if cell is None:
        return _NO_LOAD
    number = value(cell)
    if number is None and not cell.why:
        return HeatMapCell(None, "no such requests", is_blank=True)
    return HeatMapCell(number, cell.why)
