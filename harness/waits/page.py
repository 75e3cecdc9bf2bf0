"""The page of a recording of waits."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.panels import Head, render_panels
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from harness.waits.graph_panel import graph_panel
from harness.waits.locks_panel import locks_panels
from harness.waits.page_place import page_path
from harness.waits.panel import waits_panel
from harness.waits.result import WaitsResult
from stallscope.recordings import Recording


def render_waits_page(result: WaitsResult, recording: Recording) -> str:
    """Return the page, to be written as UTF-8; all names are escaped."""
    about = "wall time of threads by state"
    head = Head(result.title, recording.name, about, "measured", "waits")
    facts = {}
    if recording.manifest is not None:
        facts = host_facts(recording.manifest) | recorded_facts(recording.path)
    shown = {label: text for label, text in facts.items() if text}
    return render_panels(
        [waits_panel(result), graph_panel(result), *locks_panels(result)], head, shown
    )


def write_waits_page(result: WaitsResult, recording: Recording, output: Path | None) -> Path:
    """Return the path of the written page; the default is report.html in the recording."""
    path = output or page_path(recording)
    write_whole(path, [render_waits_page(result, recording)])
    return path
