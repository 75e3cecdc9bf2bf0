"""The page of sleep states or of simulated governors."""

from collections.abc import Mapping

from harness.cstates.panel import FOLDER, STYLES
from harness.page.panels import Head, Panel, render_panels

_SUBJECT = "sleep states"


def render_cstates_page(panel: str, *, title: str, source: str, host: Mapping[str, str]) -> str:
    """Return the page around a panel's markup, to be written as UTF-8."""
    head = Head(title, "", _SUBJECT, source, _SUBJECT)
    return render_panels([Panel(panel, [(FOLDER, STYLES)])], head, host)
