"""The page of a disk's measurements: panels in one self-contained file without a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

import stallscope
from harness.pages import document
from harness.pages.document import Document, escaped
from harness.pages.flame_summary import host_section
from harness.pages.latency import LOOKS
from topdown.stacks.flame_names import visible_text


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel's markup, and the folders and names of the style sheets it needs."""

    markup: str
    styles: Sequence[tuple[str, Sequence[str]]]


def render_io_page(
    panels: Sequence[Panel],
    *,
    title: str,
    recording_name: str,
    source: str,
    facts: Mapping[str, str],
) -> str:
    """Return the page, to be written as UTF-8; every text but markup is taken for a stranger's."""
    styles = dict.fromkeys(
        (folder, tuple(names)) for panel in panels for folder, names in panel.styles
    )
    body = Template(document.sources("slots_page", ("page.html",))).substitute(
        title=escaped(visible_text(title, 300)),
        recording=escaped(visible_text(recording_name, 300)),
        source=f"<b>disk</b> · {escaped(visible_text(source, 300))}",
        slots="".join(panel.markup for panel in panels),
        host=host_section(facts),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    return document.render(
        Document(
            title=f"{visible_text(title, 200)} · disk · stallscope",
            style="\n".join(document.sources(*each) for each in (LOOKS, *styles)),
            body=body,
            data={},
            script="",
        )
    )
