"""The panel "Latency" of a probe: histograms and percentiles of its reads, and its self check."""

from harness.io.latencies import NAMES, histogram_log
from harness.io.probe.result import ProbeResult, ReadResult
from harness.io.probe.text import check_text, errors_text, latency_cells
from harness.page import latency_panel
from harness.page.document import escaped
from harness.page.latency_panel import Series, latency_figures, look
from harness.page.panels import Panel
from harness.page.plot import Axis, Plot, round_ticks
from stallscope.histograms import Geometry
from stallscope.printable import visible_text

STYLES = ((latency_panel.FOLDER, latency_panel.STYLES),)
GEOMETRY = Geometry(lowest=1, digits=3)  # of the engine's histograms
STEP_S = 0.1  # of the engine's series
MIN_STEPS = 10
MAX_STEPS = 20_000  # half an hour; more points would not be visible


def panels(result: ProbeResult) -> tuple[Panel, ...]:
    """Return the panel of a probe; every text of the result is escaped."""
    return (Panel(_markup(result), STYLES),)


def _markup(result: ProbeResult) -> str:
    series = [
        Series(name, histogram_log(reads.histogram, GEOMETRY, reads.seconds), counts_requests=False)
        for name, reads in result.reads.items()
        if reads.histogram
    ]
    body = [latency_figures(series) if series else "", _rate_plot(result), _table(result)]
    for name, reads in result.reads.items():
        text = _text(f"{name}: {check_text(reads)}")
        is_ok = reads.self_check.ok
        body.append(f"<p>{text}</p>" if is_ok else f"<p><strong>{text}</strong></p>")
        body += [_hint(f"{name}: {text}") for text in (*errors_text(reads), *reads.notes)]
    body += [_hint(text) for text in (*result.missing, *result.warnings)]
    body.append(_hint("; ".join(f"{label}: {text}" for label, text in result.facts.items())))
    state = "" if result.complete else ", interrupted"
    return (
        '<section class="panel" id="probe" aria-labelledby="probe-title">'
        '<div class="panel-head"><h2 id="probe-title">Latency, one request at a time</h2>'
        f'<p class="hint">{_text(result.reads_text)}, {_text(result.source)}{state}</p></div>'
        f'<div class="latency-body">{"".join(body)}</div></section>'
    )


def _rate_plot(result: ProbeResult) -> str:
    """Return the plot of requests per second over time; empty for less than a second."""
    points = [(STEP_S * (step + 0.5), rate) for step, rate in enumerate(result.series[:MAX_STEPS])]
    if len(points) < MIN_STEPS:
        return ""
    end, top = STEP_S * len(points), 1.08 * max(1.0, *(rate for _, rate in points))
    plot = Plot(
        Axis(0, end, "s", round_ticks(end)),
        Axis(0, top, "requests/s", round_ticks(top)),
        "Requests per second over time",
    )
    caption = f"{_text(result.cache)}: requests per second over time"
    figure = f"<figure>{plot.drawn(plot.line(points, look(0)))}<figcaption>{caption}</figcaption>"
    return f'<div class="latency-plots">{figure}</figure></div>'


def _text(text: str) -> str:
    return escaped(visible_text(text, 400))


def _hint(text: str) -> str:
    return f'<p class="hint">{_text(text)}</p>'


def _table(result: ProbeResult) -> str:
    heads = ("Reads", "Requests", "Requests/s", *NAMES)
    head = "".join(
        f'<th scope="col"{" class=number" if index else ""}>{name}</th>'
        for index, name in enumerate(heads)
    )
    rows = "".join(_row(name, reads) for name, reads in result.reads.items())
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        "</div>"
    )


def _row(name: str, reads: ReadResult) -> str:
    rate = "n/a" if reads.iops is None else f"{reads.iops:,.0f}"
    cells = (f"{reads.requests:,}", rate, *latency_cells(reads))
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
    return f'<tr><td class="name">{_text(name)}</td>{numbers}</tr>'
