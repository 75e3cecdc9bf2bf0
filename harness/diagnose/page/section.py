"""A section of the page: a panel, or the line that says why it is missing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.panels import Panel, StyleSheets

# Attributes of our templates; texts have no quotes, because these are escaped.
_IDS = re.compile(r'( (?:id|for|aria-labelledby|aria-describedby|aria-controls)="|href="#|url\(#)')


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the id that links name. ``state``: "unavailable", "modelled" or empty."""

    id: str
    title: str
    markup: Markup
    styles: tuple[StyleSheets, ...] = ()
    state: str = ""


def absent(section_id: str, title: str, reason: str, remedy: str = "") -> Section:
    """Return a section whose panel says in one line why there is nothing to show."""
    markup = fragment(
        "harness.diagnose/page/absent.html",
        id=section_id,
        title=title,
        reason=reason,
        remedy=remedy,
    )
    return Section(section_id, title, markup, (), "unavailable")


def section_of(section_id: str, title: str, panels: Sequence[Panel], state: str = "") -> Section:
    """Return a section of the panels of another page; their ids get the section's as a prefix."""
    markup = Markup("\n").join(panel.markup for panel in panels)
    prefixed = _IDS.sub(rf"\g<1>{section_id}-", str(markup))
    styles = tuple(sheets for panel in panels for sheets in panel.styles)
    return Section(section_id, title, Markup(prefixed), styles, state)  # noqa: S704 - escaped
