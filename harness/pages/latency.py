"""The page of a load: one self-contained HTML file without a script."""

from collections.abc import Mapping, Sequence
from string import Template

import stallscope
from harness.pages import document
from harness.pages.document import Document, escaped
from harness.pages.flame_summary import host_section
from harness.pages.latency_panel import FOLDER, STYLES, Series, latency_panel
from topdown.stacks.flame_names import visible_text

LOOKS = ("flame_page", ("theme.css", "page.css", "print.css"))


def render_latency_page(
    series: Sequence[Series], *, title: str, recording_name: str, facts: Mapping[str, str]
) -> str:
    """Return the page, to be written as UTF-8; every text is taken for a stranger's."""
    body = Template(document.sources("slots_page", ("page.html",))).substitute(
        title=escaped(visible_text(title, 300)),
        recording=escaped(visible_text(recording_name, 300)),
        source="<b>latency</b> · measured by the loader",
        slots=latency_panel(
            series,
            title="Latency",
            hint="from the intended start, so that a server that stalls cannot hide it",
        ),
        host=host_section(facts),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    return document.render(
        Document(
            title=f"{visible_text(title, 200)} · stallscope",
            style=document.sources(*LOOKS) + "\n" + document.sources(FOLDER, STYLES),
            body=body,
            data={},
            script="",
        )
    )
