"""Panel of recorded idle intervals: states, their lengths, measured against declared latency."""

from collections.abc import Iterator

import numpy as np

from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise
from cstates.idle.run import IdleRun
from harness.cstates.explain.text import HEADS, PROCESS_HEADS, advise_lines, explain_rows
from harness.cstates.panel import facts_list, panel, row, table
from harness.cstates.record.text import (
    MEANING,
    STATE_HEADS,
    WAKE_HEADS,
    facts,
    state_name,
    state_rows,
    wake_rows,
)
from harness.page.document import escaped
from stallscope.histograms import Histogram

_BINS = 24  # of a factor of two each, from 1 us
_NO_WRAPPING = 100_000
_BY = {HEADS[0]: "by cause", PROCESS_HEADS[0]: "by process"}
_WIDTH, _HEIGHT, _FOOT = 720, 120, 18


def idle_panel(run: IdleRun) -> str:
    """Return the panel's markup, everything escaped."""
    body = [facts_list(facts(run))]
    if run.shown_states:
        body.append(table(STATE_HEADS, (row(cells, "") for cells in state_rows(run))))
    if run.wakes:
        body.append("<h3>Measured against declared exit latency</h3>")
        body.append(table(WAKE_HEADS, (row(cells, "") for cells in wake_rows(run))))
        body.append(f"<p>{escaped(MEANING)}</p>")
    body.extend(_histograms(run))
    body.extend(_costs(run))
    body.append("<h3>Advice</h3>")
    body.extend(f"<p>{escaped(line)}</p>" for line in advise_lines(advise(run), _NO_WRAPPING))
    return panel("cstates-idle", "Idle intervals", "measured", "".join(body))


def _costs(run: IdleRun) -> Iterator[str]:
    found = explain(run)
    for heads, rows in explain_rows(run, found):
        yield f"<h3>What sleeps cost, {_BY[heads[0]]}</h3>"
        yield table(heads, (row(cells, "") for cells in rows))


def _histograms(run: IdleRun) -> Iterator[str]:
    for state in run.shown_states:
        lengths = run.lengths_of(state.index)
        if lengths is None:
            continue
        target = state.target_residency_us
        name = state_name(run, state.index)
        marked = f", target residency {target:,} us marked" if target else ""
        yield f"<h3>{escaped(f'Lengths in {name}{marked}')}</h3>"
        yield _bars(lengths, target)


def _bars(lengths: Histogram, target_us: int | None) -> str:
    """Return a picture: a bar for each doubling of the length."""
    counts = octaves(lengths)
    most = max(1, int(counts.max()))
    step = _WIDTH / _BINS
    bars = "".join(
        f'<rect x="{place * step + 1:.1f}" y="{_HEIGHT * (1 - count / most):.1f}" '
        f'width="{step - 2:.1f}" height="{_HEIGHT * count / most:.1f}" fill="currentColor" '
        f'opacity="0.6"><title>{escaped(f"{_label(place)}: {int(count):,}")}</title></rect>'
        for place, count in enumerate(counts)
    )
    labels = "".join(
        f'<text x="{place * step:.1f}" y="{_HEIGHT + 13}" font-size="10" fill="currentColor">'
        f"{escaped(_length(place))}</text>"
        for place in range(0, _BINS, 4)
    )
    mark = ""
    if target_us:
        x = min(max(np.log2(target_us), 0), _BINS) * step
        mark = (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_HEIGHT}" stroke="currentColor" '
            'stroke-dasharray="3 3"/>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _FOOT}" role="img" '
        f'aria-label="Idle intervals by length">{bars}{mark}{labels}</svg>'
    )


def octaves(lengths: Histogram) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return how many lengths there are by powers of two of a us, the ends taking what is beyond.

    The shape is (24,).
    """
    places = np.flatnonzero(lengths.counts)
    low, high = lengths.geometry.bounds(places)
    exponents = np.log2(np.maximum((low + high) / 2 / 1000, 1))
    octave = np.clip(exponents.astype(np.int64), 0, _BINS - 1)
    counts: np.ndarray[tuple[int], np.dtype[np.int64]] = np.zeros(_BINS, np.int64)
    np.add.at(counts, octave, lengths.counts[places])
    return counts


def _label(place: int) -> str:
    return f"{_length(place)} to {_length(place + 1)}"


def _length(place: int) -> str:
    us = 2**place
    if us < 1000:
        return f"{us} us"
    return f"{us / 1000:.0f} ms" if us < 1_000_000 else f"{us / 1e6:.1f} s"
