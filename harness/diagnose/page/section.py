"""A section of the page: a panel, or the line that says why it is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from harness.page.document import fragment, with_prefixed_ids
from harness.page.panels import Panel, StyleSheets

_OTHER_TIME = "This part was measured at another time: it does not follow the period."


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the id that links name. ``state``: "unavailable", "modelled" or empty.

    ``whole_only``: what is shown while a period is selected that the section does not follow.
    """

    id: str
    title: str
    markup: Markup
    styles: tuple[StyleSheets, ...] = ()
    state: str = ""
    whole_only: str = ""


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
    styles = tuple(sheets for panel in panels for sheets in panel.styles)
    prefixed = with_prefixed_ids(markup, section_id)
    return Section(section_id, title, prefixed, styles, state, _OTHER_TIME)
