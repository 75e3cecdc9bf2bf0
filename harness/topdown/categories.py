"""Categories of the first level, with their fills and colours."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A category's fill, which is distinct without colours, and its colours.

    Picture colours are distinct with colour vision deficiencies (Okabe and Ito, Color Universal
    Design, 2008).
    """

    key: str  # CSS class of the page
    fill: str
    terminal: str
    picture: str


RETIRING = Category("retiring", "█", "green", "#009e73")
BAD_SPECULATION = Category("bad", "▓", "red", "#d55e00")
FRONTEND = Category("frontend", "▒", "blue", "#56b4e9")
BACKEND = Category("backend", "░", "yellow", "#e69f00")
OTHER = Category("other", "▚", "magenta", "#999999")
_BY_PREFIX = {
    "retiring": RETIRING,
    "bad": BAD_SPECULATION,
    "frontend": FRONTEND,
    "backend": BACKEND,
}


def category(node: str) -> Category:
    """Return the category of a first-level node, by the prefix of its name."""
    return _BY_PREFIX.get(node.lower().partition("_")[0], OTHER)
