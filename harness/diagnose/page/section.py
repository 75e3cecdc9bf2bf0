"""A section of the page: a panel, or the line that says why it is missing."""

from dataclasses import dataclass

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.panels import StyleSheets


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
