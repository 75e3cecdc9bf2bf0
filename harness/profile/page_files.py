"""The page file of a recording."""

from pathlib import Path

from markupsafe import Markup

from harness.cli.outputs import write_whole
from harness.profile.analysis import Analysis
from harness.profile.page import PageContent, render_page
from harness.recordings.host_facts import host_facts
from harness.recordings.settings import recorded_facts
from stallscope.recordings import Recording
from topdown.stacks.flame.pruning import prune

# A page of 100,000 stacks has at most about 2,000,000 nodes, and is smaller than 5 MiB.
MAX_NODES = 2_000_000


def write_page(recording: Recording, analysis: Analysis, output: Path | None = None) -> Path:
    """Return the path of the written page; the default is RUN/report.html.

    The page of a perf.data file is written to the current directory, as <name>.report.html.
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
    """Return the parts of the page's text."""
    page = render_page(
        prune(analysis.profile, MAX_NODES),
        recording_name=recording.name,
        host=_host(recording, analysis),
        content=PageContent(
            ranking=analysis.ranking,
            stacks=analysis.stacks,
            python=analysis.python,
            slots=analysis.slots,
            slots_panel=_slots_panel(recording, analysis),
            bursts=analysis.bursts,
            off_cpu=analysis.off_cpu,
            modules=analysis.modules,
            with_wakers=None
            if analysis.with_wakers is None
            else prune(analysis.with_wakers, MAX_NODES),
        ),
    )
    return [page]


def _host(recording: Recording, analysis: Analysis) -> dict[str, str]:
    """Return label and text of the facts about the recorded host."""
    if recording.manifest is None:
        facts = {"host": analysis.host_name, "kernel": analysis.kernel_release}
    else:
        facts = host_facts(recording.manifest) | recorded_facts(recording.path)
    return {label: text for label, text in facts.items() if text}


def _slots_panel(recording: Recording, analysis: Analysis) -> Markup:
    """Return the panel that explains why there are no slots; empty if they were counted."""
    if analysis.slots is not None and analysis.slots.cpu is not None:
        return Markup()
    from harness.topdown.absent_panel import panel_of_profile  # noqa: PLC0415

    return panel_of_profile(recording.manifest)
