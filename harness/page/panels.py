"""A page of panels: one self-contained HTML file, usually without a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.page import document
from harness.page.document import Document
from harness.page.source_files import sources
from stallscope.printable import visible_text

# The style sheets of every page.
LOOKS = ("harness.page", ("flame_view/theme.css", "flame_view/page.css", "flame_view/print.css"))
StyleSheets = tuple[str, Sequence[str]]  # a package, and names of style sheets in it
CURVE_STYLE: StyleSheets = ("harness.page", ("curve.css",))
HEAT_MAP_STYLE: StyleSheets = ("harness.page", ("heat_map.css",))
TABLE_STYLE: StyleSheets = ("harness.page", ("tables.css",))


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel's markup, as a template returned it, and its style sheets."""

    markup: Markup
    styles: Sequence[StyleSheets]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page; every text is escaped.

    ``about`` and ``source`` are the subject and the source of the numbers, on one line; ``tab`` is
    the subject in the title of the browser's tab.
    """

    title: str
    recording_name: str
    about: str
    source: str
    tab: str = ""


def render_panels(
    panels: Sequence[Panel],
    head: Head,
    facts: Mapping[str, str],
    *,
    script: str = "",
    data: Mapping[str, object] | None = None,
    rules: str = "",
) -> str:
    """Return the page, to be written as UTF-8; ``facts`` are texts on the machine by label.

    ``script`` reads ``data``; without one, the page has no script. ``rules``: more CSS.
    """
    styles = dict.fromkeys(
        (package, tuple(names)) for panel in panels for package, names in panel.styles
    )
    tab = (visible_text(head.title, 200), head.tab, "stallscope")
    return document.render(
        Document(
            template="harness.page/panels.html",
            title=" · ".join(part for part in tab if part),
            style="\n".join([*(sources(*sheets) for sheets in (LOOKS, *styles)), rules]).strip(),
            values={
                "title": head.title,
                "recording": head.recording_name,
                "about": head.about,
                "source": head.source,
                "panels": Markup().join(panel.markup for panel in panels),
                "facts": facts,
            },
            script=script,
            data=data or {},
        )
    )
