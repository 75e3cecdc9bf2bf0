"""The page of a load."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.cli.outputs import write_whole
from harness.load.recording import PAGE, LoadRecording, read_load
from harness.load.text import rate_text
from harness.page.latency_panel import Series, latency_panel
from harness.page.panels import Head, render_panels
from harness.recordings.host_facts import host_facts
from harness.recordings.settings_text import settings_facts
from stallscope.recordings import MANIFEST, read_manifest

_NAMES = {
    "latency": "latency, from the intended start",
    "service": "service time, from sending",
    "send lag": "send lag",
}


def write_page(directory: Path, output: Path | None = None) -> Path:
    """Return the path of the page of a recording; by default it is in the recording."""
    recording = read_load(directory)
    manifest = read_manifest(directory / MANIFEST)
    machine = {label: text for label, text in host_facts(manifest).items() if text}
    page = output or directory / PAGE
    text = render_page(
        latency_series(recording),
        title=f"Load on {manifest.target.command[-1] if manifest.target.command else '?'}",
        recording_name=directory.resolve().name,
        facts=machine | _facts(recording),
    )
    write_whole(page, [text])
    return page


def latency_series(recording: LoadRecording) -> list[Series]:
    """Return the logs of a recording with their names; only one counts the requests."""
    return [
        Series(_NAMES[name], log, counts_requests=name == "latency")
        for name, log in recording.logs.items()
    ]


def render_page(
    series: Sequence[Series], *, title: str, recording_name: str, facts: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; every text is escaped."""
    panel = latency_panel(
        series,
        title="Latency",
        hint="from the intended start, which includes the time in which the server stalls",
        over_time=True,
    )
    head = Head(title, recording_name, "latency", "measured by the loader", "latency")
    return render_panels([panel], head, facts)


def _facts(recording: LoadRecording) -> dict[str, str]:
    result = recording.result
    requested = "closed loop"
    if result.requested_rate_per_s is not None:
        requested = f"requested {result.requested_rate_per_s:,.0f}/s"
    facts = {
        "rate": f"achieved {rate_text(result.achieved_rate_per_s)}, {requested}",
        "requests": f"{result.requests:,}, of which {result.errors:,} got error replies",
    }
    if result.limited_by_loader:
        facts["bottleneck"] = f"the loader itself: {result.why}"
    return facts | settings_facts(recording.settings)
