"""The heat maps of a mix for a terminal: numbers in rows and columns, a dash if masked."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.io.mix.maps import heat_maps, masked_counts
from harness.io.mix.result import MixResult
from harness.page.heat_map import HeatMap, HeatMapCell
from harness.recordings.results import facts_text

_MASKED = "-"


def lines(result: MixResult, width: int) -> Iterator[str]:
    """Yield all maps and the masked cells."""
    yield from wrapped(f"{result.title}: {result.requests}, {result.source}", width)
    facts = facts_text(result.facts)
    yield from wrapped(facts, width, "  ") if facts else ()
    if not result.complete:
        yield "interrupted: results up to that moment"
    yield from wrapped(_maximum_text(result), width)
    for heat_map in heat_maps(result):
        yield ""
        title = f"{heat_map.title}: {heat_map.x_title} across, {heat_map.y_title} down"
        yield from wrapped(title, width, "  ")
        yield from columns(_rows(heat_map))
    yield ""
    if masked := masked_counts(result):
        yield from wrapped(
            f"A dash is a masked cell: {', '.join(masked)} (missed: less than 97 % of its load)",
            width,
            "  ",
        )
    for warning in result.warnings:
        yield from wrapped(f"note: {warning}", width, "  ")


def _maximum_text(result: MixResult) -> str:
    rates = (("reads", result.max_reads_per_s), ("writes", result.max_writes_per_s))
    rate_texts = [f"{rate:,.0f} {kind}/s alone" for kind, rate in rates if rate is not None]
    return f"Maximum: {' and '.join(rate_texts)}" if rate_texts else "No result"


def _rows(heat_map: HeatMap) -> list[list[str]]:
    rows = [["", *heat_map.columns]]
    for name, cells in zip(heat_map.row_names, heat_map.rows, strict=True):
        rows.append([name, *(_cell_text(heat_map, cell) for cell in cells)])
    return rows


def _cell_text(heat_map: HeatMap, cell: HeatMapCell) -> str:
    if cell.value is None:
        return "" if cell.is_blank else _MASKED
    return heat_map.text(cell.value)
