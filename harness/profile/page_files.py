"""The page of a recording: what goes into it, and where it is put."""

from pathlib import Path

from harness.cli.outputs import write_whole
from harness.profile.analysis import Analysis
from harness.profile.page import Known, render_page
from harness.topdown.absent_panel import panel_of_profile
from stallscope.recordings import Recording
from topdown.stacks.flame.pruning import prune

# A page of 100,000 stacks has some 2,000,000 nodes at most, and stays under 5 MiB.
MOST_NODES = 2_000_000


def write_page(recording: Recording, analysis: Analysis, output: Path | None = None) -> Path:
    """Return the path of the page, written whole; the default is RUN/report.html.

    A bare perf.data file's page goes to the current directory, as <name>.report.html.
    """
    if output is None:
        output = (
            recording.path / "report.html"
            if recording.manifest is not None
            else Path(f"{recording.name}.report.html")
        )
    write_whole(output, page_parts(recording, analysis))
    return output


def page_parts(recording: Recording, analysis: Analysis) -> list[str]:
    """Return the page's text."""
    page = render_page(
        prune(analysis.profile, MOST_NODES),
        recording_name=recording.name,
        host=analysis.host,
        known=Known(
            ranking=analysis.ranking,
            stacks=analysis.stacks,
            python=analysis.python,
            slots=analysis.slots,
            slots_panel=_slots_panel(recording, analysis),
        ),
    )
    return [page]


def _slots_panel(recording: Recording, analysis: Analysis) -> str:
    """Return the panel on what would tell of slots; empty if they were counted by function."""
    if analysis.slots is not None and analysis.slots.cpu is not None:
        return ""
    return panel_of_profile(recording.manifest)
