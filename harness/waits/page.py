"""The page of a recording of waits."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.panels import Head, render_panels
from harness.page.source_files import sources
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from harness.waits.binned import BinnedValues
from harness.waits.graph_panel import graph_panel
from harness.waits.locks_panel import locks_panels
from harness.waits.page_place import page_path
from harness.waits.panel import waits_panel
from harness.waits.result import WaitsResult
from stallscope.recordings import Recording

CELLS_SCRIPT = ("harness.page", ("period_cells.js",))
SCRIPT = ("harness.waits", ("waits_period.js",))


def render_waits_page(
    result: WaitsResult, recording: Recording, binned: BinnedValues | None = None
) -> str:
    """Return the page, to be written as UTF-8; all names are escaped.

    ``binned``: values by time; without them, no period can be selected in the page.
    """
    about = "wall time of threads by state"
    head = Head(result.title, recording.name, about, "measured", "waits")
    facts = {}
    if recording.manifest is not None:
        facts = host_facts(recording.manifest) | recorded_facts(recording.path)
    host_rows = {label: text for label, text in facts.items() if text}
    panels = [
        waits_panel(result, binned),
        graph_panel(result, binned),
        *locks_panels(result, binned),
    ]
    if binned is None:
        return render_panels(panels, head, host_rows)
    data = {"bins": binned.payload()}
    script = "\n".join((sources(*CELLS_SCRIPT), sources(*SCRIPT)))
    return render_panels(panels, head, host_rows, script=script, data=data)


def write_waits_page(
    result: WaitsResult,
    recording: Recording,
    output: Path | None,
    binned: BinnedValues | None = None,
) -> Path:
    """Return the path of the written page; the default is report.html in the recording."""
    path = output or page_path(recording)
    write_whole(path, [render_waits_page(result, recording, binned)])
    return path
