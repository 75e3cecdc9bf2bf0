"""The panel and page of recorded idle intervals: states, lengths, measured and declared latency."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from markupsafe import Markup

from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines
from harness.cstates.explain.result import explain_result
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
from harness.page.document import fragment
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


def idle_panel(result: IdleResult) -> Markup:
    """Return the panel's markup."""
    run = idle_run(result)
    step = _WIDTH / BINS
    return fragment(
        "harness.cstates.record/panel.html",
        facts=list(facts(result)),
        state_heads=STATE_HEADS,
        state_rows=list(state_rows(result)),
        wake_heads=WAKE_HEADS,
        wake_rows=list(wake_rows(result)) if result.wakes else [],
        explanation=EXPLANATION,
        histograms=list(_histograms(result)),
        labels=[
            {"left": octave * step, "text": length_text(octave)} for octave in range(0, BINS, 4)
        ],
        width=_WIDTH,
        height=_HEIGHT,
        foot=_FOOT,
        costs=[
            (_SUBJECTS[heads[0]], heads, list(rows))
            for heads, rows in cost_tables(explain_result(run, explain(run)))
        ],
        advice=list(advise_lines(advise_result(advise(run)), _NO_WRAPPING)),
    )


def _histograms(result: IdleResult) -> Iterator[dict[str, object]]:
    """Yield for each state the title, the bars by length, and the mark of its target."""
    run = idle_run(result)
    for state in run.all_states:
        lengths = run.lengths_of(state.index)
        if lengths is None:
            continue
        target_us = state.target_residency_us
        mark = f", target residency {target_us:,} us marked" if target_us else ""
        yield {
            "title": f"Lengths in {state_name(run, state.index)}{mark}",
            "bars": list(_bars(lengths)),
            "mark": _position(target_us) if target_us else None,
        }


def _position(length_us: int) -> float:
    return float(min(max(np.log2(length_us), 0), BINS)) * _WIDTH / BINS


def _bars(lengths: Histogram) -> Iterator[dict[str, object]]:
    """Yield a bar for each power of two of the length, in pixels."""
    counts = octaves(lengths)
    highest = max(1, int(counts.max()))
    step = _WIDTH / BINS
    for octave, count in enumerate(counts):
        yield {
            "left": octave * step + 1,
            "top": _HEIGHT * (1 - count / highest),
            "width": step - 2,
            "height": _HEIGHT * count / highest,
            "text": f"{_range_text(octave)}: {int(count):,}",
        }


def _range_text(octave: int) -> str:
    return f"{length_text(octave)} to {length_text(octave + 1)}"
