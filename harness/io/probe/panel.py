"""The panel "Latency" of a probe: histograms and percentiles of its reads, and its self check."""

from collections.abc import Mapping

from harness.io.probe.shown import NAMES, ProbeShown, ReadsShown
from harness.io.probe.text import check_text, errors_text
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import Series, latency_figures, look
from harness.page.panels import Panel
from harness.page.plot import Axis, Plot, round_ticks
from stallscope.histograms import IntervalLog
from stallscope.printable import visible_text
from stallscope.quantities import value_text

SLICE_S = 0.1  # of the engine's series
LEAST_SLICES = 10
MOST_SLICES = 20_000  # half an hour; a line of more points tells no more


def probe_panel(shown: ProbeShown, logs: Mapping[str, IntervalLog]) -> Panel:
    """Return the panel; ``logs`` by what they measured. Every text is taken for a stranger's."""
    series = [Series(name, log, counts_requests=False) for name, log in logs.items()]
    body = [latency_figures(series) if series else "", _over_time(shown), _table(shown)]
    for reads in shown.reads:
        text = _text(f"{reads.name}: {check_text(reads)}")
        body.append(f"<p>{text}</p>" if reads.ok else f"<p><strong>{text}</strong></p>")
        body += [_hint(f"{reads.name}: {text}") for text in (*errors_text(reads), *reads.notes)]
    body += [_hint(text) for text in (*shown.missing, *shown.warnings)]
    body.append(_hint("; ".join(f"{label}: {text}" for label, text in shown.facts)))
    state = "" if shown.complete else ", interrupted"
    markup = (
        '<section class="panel" id="probe" aria-labelledby="probe-title">'
        '<div class="panel-head"><h2 id="probe-title">Latency, one request at a time</h2>'
        f'<p class="hint">{_text(shown.asked)}, {_text(shown.source)}{state}</p></div>'
        f'<div class="latency-body">{"".join(body)}</div></section>'
    )
    return Panel(markup, [(latency_panel.FOLDER, latency_panel.STYLES)])


def _over_time(shown: ProbeShown) -> str:
    """Return requests a second over time; nothing of less than a second."""
    points = [
        (SLICE_S * (at + 0.5), rate) for at, rate in enumerate(shown.reads[0].series[:MOST_SLICES])
    ]
    if len(points) < LEAST_SLICES:
        return ""
    end, top = SLICE_S * len(points), 1.08 * max(1.0, *(rate for _, rate in points))
    plot = Plot(
        Axis(0, end, "s", round_ticks(end)),
        Axis(0, top, "requests/s", round_ticks(top)),
        "Requests per second over time",
    )
    caption = f"{_text(shown.reads[0].name)}: requests a second over time"
    figure = f"<figure>{plot.drawn(plot.line(points, look(0)))}<figcaption>{caption}</figcaption>"
    return f'<div class="latency-plots">{figure}</figure></div>'


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))


def _hint(text: str) -> str:
    return f'<p class="hint">{_text(text)}</p>'


def _table(shown: ProbeShown) -> str:
    heads = ("Reads", "Requests", "Requests/s", *NAMES)
    head = "".join(
        f'<th scope="col"{" class=number" if at else ""}>{name}</th>'
        for at, name in enumerate(heads)
    )
    rows = "".join(_row(each) for each in shown.reads)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _row(reads: ReadsShown) -> str:
    latencies = [
        value_text(round(reads.latencies[name]), "ns") if name in reads.latencies else "n/a"
        for name in NAMES
    ]
    rate = "n/a" if reads.iops is None else f"{reads.iops:,.0f}"
    cells = (f"{reads.requests:,}", rate, *latencies)
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
    return f'<tr><td class="name">{_text(reads.name)}</td>{numbers}</tr>'
