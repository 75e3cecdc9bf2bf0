"""The panel and page of recorded idle intervals: states, lengths, measured and declared latency."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines
from harness.cstates.explain.result import ExplainResult, explain_result
from harness.cstates.explain.text import HEADS, PROCESS_HEADS, cost_tables
from harness.cstates.page import write_page
from harness.cstates.record.analysis import idle_run, state_name
from harness.cstates.record.histogram import BINS, length_text, octaves
from harness.cstates.record.result import IdleResult
from harness.cstates.record.text import (
    EXPLANATION,
    STATE_HEADS,
    WAKE_HEADS,
    facts,
    state_rows,
    wake_rows,
)
from harness.cstates.record.what_if import what_if_panel
from harness.page.document import escaped
from harness.page.tables import facts_list, panel, row, table
from harness.recordings.host_facts import host_facts
from stallscope.histograms import Histogram
from stallscope.recordings import MANIFEST, read_manifest

_NO_WRAPPING = 100_000
_SUBJECTS = {HEADS[0]: "by cause", PROCESS_HEADS[0]: "by process"}
_WIDTH, _HEIGHT, _FOOT = 720, 120, 18


def write_idle_page(path: Path, folder: Path, result: IdleResult) -> None:
    """Write the page of a recording."""
    host = host_facts(read_manifest(folder / MANIFEST))
    write_page(
        path,
        [idle_panel(result), what_if_panel(folder, result)],
        title=folder.resolve().name,
        source="measured" if result.why_counters_only is None else "measured, counters only",
        host={label: text for label, text in host.items() if text},
    )


def idle_panel(result: IdleResult) -> str:
    """Return the panel's markup."""
    run = idle_run(result)
    body = [facts_list(facts(result))]
    states = tuple(state_rows(result))
    if states:
        body.append(table(STATE_HEADS, map(row, states)))
    if result.wakes:
        body.append("<h3>Measured against declared exit latency</h3>")
        body.append(table(WAKE_HEADS, map(row, wake_rows(result))))
        body.append(f"<p>{escaped(EXPLANATION)}</p>")
    body.extend(_histograms(result))
    body.extend(_costs(explain_result(run, explain(run))))
    body.append("<h3>Advice</h3>")
    advice = advise_result(advise(run))
    body.extend(f"<p>{escaped(line)}</p>" for line in advise_lines(advice, _NO_WRAPPING))
    return panel("cstates-idle", "Idle intervals", "measured", "".join(body))


def _costs(costs: ExplainResult) -> Iterator[str]:
    for heads, rows in cost_tables(costs):
        yield f"<h3>What sleeps cost, {_SUBJECTS[heads[0]]}</h3>"
        yield table(heads, map(row, rows))


def _histograms(result: IdleResult) -> Iterator[str]:
    run = idle_run(result)
    for state in run.all_states:
        lengths = run.lengths_of(state.index)
        if lengths is None:
            continue
        target_us = state.target_residency_us
        name = state_name(run, state.index)
        mark = f", target residency {target_us:,} us marked" if target_us else ""
        yield f"<h3>{escaped(f'Lengths in {name}{mark}')}</h3>"
        yield _bars(lengths, target_us)


def _bars(lengths: Histogram, target_us: int | None) -> str:
    """Return an SVG histogram with a bar for each power of two of the length."""
    counts = octaves(lengths)
    highest = max(1, int(counts.max()))
    step = _WIDTH / BINS
    bars = "".join(
        f'<rect x="{place * step + 1:.1f}" y="{_HEIGHT * (1 - count / highest):.1f}" '
        f'width="{step - 2:.1f}" height="{_HEIGHT * count / highest:.1f}" fill="currentColor" '
        f'opacity="0.6"><title>{escaped(f"{_range_text(place)}: {int(count):,}")}</title></rect>'
        for place, count in enumerate(counts)
    )
    labels = "".join(
        f'<text x="{place * step:.1f}" y="{_HEIGHT + 13}" font-size="10" fill="currentColor">'
        f"{escaped(length_text(place))}</text>"
        for place in range(0, BINS, 4)
    )
    mark = ""
    if target_us:
        x = min(max(np.log2(target_us), 0), BINS) * step
        mark = (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_HEIGHT}" stroke="currentColor" '
            'stroke-dasharray="3 3"/>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _FOOT}" role="img" '
        f'aria-label="Idle intervals by length">{bars}{mark}{labels}</svg>'
    )


def _range_text(place: int) -> str:
    return f"{length_text(place)} to {length_text(place + 1)}"
