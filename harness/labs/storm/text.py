"""A storm for the terminal: table, ratios, verdict."""

from collections.abc import Iterator, Sequence

from harness.cli.table import columns
from harness.cli.terminal import wrapped
from harness.labs.storm.measurement import READER
from harness.labs.storm.plan import limit_text
from harness.labs.storm.result import StormEstimates, StormResult, StormRow
from harness.labs.storm.verdict import ratio_text
from harness.recordings.results import facts_text
from harness.topdown.phase_text import phase_sentences
from stallscope.quantities import share_text, size_text, value_text

HEADS = ("", *READER, "written", "in I/O queue", "on disk", "iowait")
_LATENCY_COLUMNS = 1 + len(READER)


def lines(result: StormResult, room: int) -> Iterator[str]:
    """Yield the lines for a terminal ``room`` columns wide."""
    title = f"{result.title}: {result.requests}, {result.source}"
    yield from wrapped(title, room, "  ")
    facts = facts_text(result.facts)
    yield from wrapped(facts, room, "  ") if facts else ()
    yield ""
    yield from _table([HEADS, *(row_cells(result, row) for row in result.table_rows)], room)
    yield ""
    recommended = result.recommended
    yield from wrapped(f"* recommended: {recommended.limit}, {recommended.how}", room, "  ")
    if recommended.limit != result.against:
        yield from wrapped(f"{comparison_text(result)}, n {_pairs(result.ratios)}", room, "  ")
    if result.first_come:
        ratios = result.ratios_against_no_limit
        text = f"{recommended.limit} with shares against no limit, first come"
        yield from wrapped(f"{text}: {ratios_text(ratios)}, n {_pairs(ratios)}", room, "  ")
    for text in masked_texts(result):
        yield from wrapped(text, room, "  ")
    for text in phase_sentences(result.counters):
        yield from wrapped(text, room, "  ")
    for warning in result.warnings:
        yield from wrapped(f"note: {warning}", room, "  ")
    yield ""
    yield from wrapped(f"verdict: {result.verdict}: {result.verdict_reason}", room, "  ")


def row_cells(result: StormResult, row: StormRow) -> tuple[str, ...]:
    """Return the texts of a row under ``HEADS``."""
    written = row.writer_bytes_per_s
    return (
        f"{result.row_name(row)}{' *' if row.recommended else ''}",
        *(_latency_text(value) for value in row.reader_ns.by_name.values()),
        "n/a" if written is None else f"{size_text(round(written))}/s",
        "n/a" if row.pending is None else f"{row.pending:.1f}",
        "n/a" if row.in_flight is None else f"{row.in_flight:.1f}",
        "n/a" if row.iowait_share is None else share_text(row.iowait_share),
    )


def comparison_text(result: StormResult) -> str:
    """Return the ratios of the recommended limit to the reference limit."""
    limits = f"{result.recommended.limit} against {limit_text(result.against)}, with shares"
    return f"{limits}: {ratios_text(result.ratios)}"


def ratios_text(ratios: StormEstimates) -> str:
    """Return the ratios with their intervals."""
    return ", ".join(f"{name} {ratio_text(ratio)}" for name, ratio in ratios.by_name.items())


def masked_texts(result: StormResult) -> list[str]:
    """Return a line for each setting with rounds that failed their checks."""
    return [
        f"masked: {result.row_name(row)}: {row.masked[0]}{_more_text(len(row.masked) - 1)}"
        for row in result.table_rows
        if row.masked
    ]


def _more_text(count: int) -> str:
    return f", and {count} more failed checks" if count else ""


def _pairs(ratios: StormEstimates) -> int:
    return max(ratio.n for ratio in ratios.by_name.values())


def _latency_text(value: float | None) -> str:
    return "n/a" if value is None else value_text(round(value), "ns")


def _table(rows: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    table = list(columns(rows))
    if max(map(len, table)) <= room:
        yield from table
        return
    # A narrow terminal gets two tables: latencies, and where requests waited.
    yield from columns([row[:_LATENCY_COLUMNS] for row in rows])
    yield ""
    yield from columns([(row[0], *row[_LATENCY_COLUMNS:]) for row in rows])
