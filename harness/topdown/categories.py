"""The first level's categories, with one look in terminals, pictures and pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """How a category looks: a fill that is told apart without colours, and colours.

    The picture's are told apart by people who do not see red and green alike (Okabe and Ito,
    Color Universal Design, 2008).
    """

    key: str  # of the page's classes
    fill: str
    terminal: str
    picture: str


RETIRING = Category("retiring", "█", "green", "#009e73")
BAD_SPECULATION = Category("bad", "▓", "red", "#d55e00")
FRONTEND = Category("frontend", "▒", "blue", "#56b4e9")
BACKEND = Category("backend", "░", "yellow", "#e69f00")
OTHER = Category("other", "▚", "magenta", "#999999")
_BEGINNINGS = {
    "retiring": RETIRING,
    "bad": BAD_SPECULATION,
    "frontend": FRONTEND,
    "backend": BACKEND,
}


def category(node: str) -> Category:
    """Return the category of a first-level node, by how every vendor's name of it begins."""
    return _BEGINNINGS.get(node.lower().partition("_")[0], OTHER)
