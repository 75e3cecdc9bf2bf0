"""The storm lab for a terminal: the table, ratios, verdict."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import wrapped
from harness.cstates.show.text import columns
from harness.labs.storm.plan import against_text
from harness.labs.storm.shown import HEADS, RatioShown, StormShown


def lines(shown: StormShown, room: int) -> Iterator[str]:
    """Yield the table and what it says."""
    yield from wrapped(shown.title, room, "  ")
    facts = "; ".join(f"{label}: {text}" for label, text in shown.facts)
    yield from wrapped(facts, room, "  ") if facts else ()
    yield ""
    yield from _table([HEADS, *(row.cells for row in shown.rows)], room)
    yield ""
    yield from wrapped(f"* recommended: {shown.recommended}, {shown.how}", room, "  ")
    yield from _ratios(f"{shown.recommended} against {against_text(shown.against)}, with shares",
                       shown.ratios, room)  # fmt: skip
    if shown.first_come:
        what = f"{shown.recommended} with shares against no limit, first come"
        yield from _ratios(what, shown.ratios_no_limit, room)
    for row in shown.rows:
        for why in row.masked[:1]:
            text = f"masked {len(row.masked)} times: {row.name}: {why}"
            yield from wrapped(text, room, "  ")
    for warning in shown.warnings:
        yield from wrapped(f"note: {warning}", room, "  ")
    yield ""
    yield from wrapped(f"verdict: {shown.verdict}: {shown.reason}", room, "  ")


def _table(rows: Sequence[Sequence[str]], room: int) -> Iterator[str]:
    table = list(columns(rows))
    if max(map(len, table)) <= room:
        yield from table
        return
    # A narrow terminal has the table in two: latencies, and where requests were.
    yield from columns([row[:6] for row in rows])
    yield ""
    yield from columns([(row[0], *row[6:]) for row in rows])


def _ratios(what: str, ratios: Sequence[RatioShown], room: int) -> Iterator[str]:
    text = ", ".join(one.text for one in ratios)
    yield from wrapped(f"{what}: {text}, n {max((one.n for one in ratios), default=0)}", room, "  ")
