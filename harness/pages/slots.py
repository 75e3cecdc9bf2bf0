"""The page of counted slots: one self-contained HTML file without a script."""

from collections.abc import Mapping
from string import Template

import stallscope
from harness.pages import document
from harness.pages.document import Document, escaped
from harness.pages.flame_summary import host_section
from harness.pages.slots_panel import FOLDER, STYLES, shown, slots_panel
from topdown.slots.measurement import Measurement
from topdown.stacks.flame_names import visible_text

_LOOKS = ("flame_page", ("theme.css", "page.css", "print.css"))


def render_slots_page(
    measurement: Measurement, *, title: str, recording_name: str, host: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; every text is taken for a stranger's."""
    body = Template(document.sources(FOLDER, ("page.html",))).substitute(
        title=shown(title),
        recording=shown(recording_name),
        source=f"<b>{shown(measurement.title or measurement.cpu)}</b> · {measurement.kind}",
        slots=slots_panel(measurement),
        host=host_section(host),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    return document.render(
        Document(
            title=f"{visible_text(title, 200)} · slots · stallscope",
            style=document.sources(*_LOOKS) + "\n" + document.sources(FOLDER, STYLES),
            body=body,
            data={},
            script="",
        )
    )
