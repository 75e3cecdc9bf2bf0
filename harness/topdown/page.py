"""The page of counted slots."""

from collections.abc import Mapping

from harness.page.panels import Head, Panel, render_panels
from harness.topdown.panel import slots_panel
from harness.topdown.result import TopdownResult
from harness.topdown.styles import FOLDER, STYLES


def render_slots_page(
    result: TopdownResult, *, title: str, recording_name: str, host: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; all texts are escaped."""
    about = result.title or result.cpu
    head = Head(title, recording_name, about, result.kind, "slots")
    return render_panels([Panel(slots_panel(result), [(FOLDER, STYLES)])], head, host)
