"""The page of a load."""

from collections.abc import Mapping, Sequence

from harness.page.latency_panel import FOLDER, STYLES, Series, latency_panel
from harness.page.panels import Head, Panel, render_panels


def render_latency_page(
    series: Sequence[Series], *, title: str, recording_name: str, facts: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; every text is taken for a stranger's."""
    markup = latency_panel(
        series,
        title="Latency",
        hint="from the intended start, so that a server that stalls cannot hide it",
    )
    head = Head(title, recording_name, "latency", "measured by the loader", "latency")
    return render_panels([Panel(markup, [(FOLDER, STYLES)])], head, facts)
