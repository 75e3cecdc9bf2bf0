"""The page of sleep states or of simulated governors: one self-contained file, no script."""

from collections.abc import Mapping
from string import Template

import stallscope
from harness.pages import document
from harness.pages.cstates_panel import FOLDER, STYLES
from harness.pages.document import Document, escaped
from harness.pages.flame_summary import host_section
from topdown.stacks.flame_names import visible_text

_LOOKS = ("flame_page", ("theme.css", "page.css", "print.css"))


def render_cstates_page(panel: str, *, title: str, source: str, host: Mapping[str, str]) -> str:
    """Return the page around a panel's markup, to be written as UTF-8."""
    body = Template(document.sources("slots_page", ("page.html",))).substitute(
        title=escaped(visible_text(title, 300)),
        recording="",
        source=f"<b>sleep states</b> · {escaped(source)}",
        slots=panel,
        host=host_section(host),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    return document.render(
        Document(
            title=f"{visible_text(title, 200)} · sleep states · stallscope",
            style=document.sources(*_LOOKS) + "\n" + document.sources(FOLDER, STYLES),
            body=body,
            data={},
            script="",
        )
    )
