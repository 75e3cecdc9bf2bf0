"""A page of panels: one self-contained HTML file without a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

import stallscope
from harness.page import document
from harness.page.document import Document, escaped
from stallscope.printable import visible_text

# Folders and names of style sheets: those of every page.
LOOKS = ("harness.page", ("flame_view/theme.css", "flame_view/page.css", "flame_view/print.css"))
Styles = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel's markup, and the folders and names of the style sheets it needs."""

    markup: str
    styles: Styles


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above the panels; every text is taken for a stranger's.

    ``about`` and ``source`` are the subject and where its numbers come from, in one line; ``tab``
    is what the browser's tab says of the subject.
    """

    title: str
    recording_name: str
    about: str
    source: str
    tab: str = ""


def render_panels(panels: Sequence[Panel], head: Head, facts: Mapping[str, str]) -> str:
    """Return the page, to be written as UTF-8; ``facts`` are label and text of the machine."""
    styles = dict.fromkeys(
        (folder, tuple(names)) for panel in panels for folder, names in panel.styles
    )
    body = Template(document.sources("harness.page", ("page.html",))).substitute(
        title=_shown(head.title),
        recording=_shown(head.recording_name),
        source=f"<b>{_shown(head.about)}</b> · {_shown(head.source)}",
        panels="".join(panel.markup for panel in panels),
        host=host_section(facts),
        footer=escaped(f"Made by stallscope {stallscope.__version__}. Nothing here was fetched."),
    )
    tab = (visible_text(head.title, 200), head.tab, "stallscope")
    return document.render(
        Document(
            title=" · ".join(part for part in tab if part),
            style="\n".join(document.sources(*each) for each in (LOOKS, *styles)),
            body=body,
            data={},
            script="",
        )
    )


def _shown(text: str) -> str:
    return escaped(visible_text(text, 300))


def host_section(host: Mapping[str, str]) -> str:
    """Return the section on the machine that recorded; empty without a fact."""
    if not host:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escaped(visible_text(key, 80))}</th>'
        f'<td class="wrap">{escaped(visible_text(text, 600))}</td></tr>'
        for key, text in host.items()
    )
    return (
        '<section class="panel host" aria-labelledby="host-title"><div class="panel-head">'
        '<h2 id="host-title">Recorded on</h2></div><div class="scroll"><table><tbody>'
        f"{rows}</tbody></table></div></section>"
    )
