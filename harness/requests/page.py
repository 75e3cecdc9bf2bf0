"""The page of a recording with requests: their panel, then those of its waits."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.page.panels import Head, render_panels
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from harness.requests.panel import requests_panel
from harness.requests.result import RequestsResult
from harness.waits.analysis import WaitAnalysis
from harness.waits.build import waits_result
from harness.waits.graph_panel import graph_panel
from harness.waits.locks_panel import locks_panels
from harness.waits.panel import waits_panel
from stallscope.recordings import Recording


def write_requests_page(
    result: RequestsResult, analysis: WaitAnalysis, recording: Recording, output: Path
) -> None:
    """Write the page, as UTF-8; all names are escaped."""
    waits = waits_result(analysis, recording=recording.path, report=output)
    head = Head(result.title, recording.name, "slow requests", "measured", "requests")
    facts = {}
    if recording.manifest is not None:
        facts = host_facts(recording.manifest) | recorded_facts(recording.path)
    host_rows = {label: text for label, text in facts.items() if text}
    panels = [
        requests_panel(result),
        waits_panel(waits),
        graph_panel(waits),
        *locks_panels(waits),
    ]
    write_whole(output, [render_panels(panels, head, host_rows)])
