"""The page of counted slots."""

from collections.abc import Mapping

from harness.page.panels import Head, Panel, render_panels
from harness.topdown.panel import FOLDER, STYLES, slots_panel
from topdown.slots.measurement import Measurement


def render_slots_page(
    measurement: Measurement, *, title: str, recording_name: str, host: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; all texts are escaped."""
    about = measurement.title or measurement.cpu
    head = Head(title, recording_name, about, str(measurement.kind), "slots")
    return render_panels([Panel(slots_panel(measurement), [(FOLDER, STYLES)])], head, host)
