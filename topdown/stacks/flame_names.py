"""Names from strangers, made fit to stand in a graph: one line, one direction, of some length."""

from stallscope.printable import NAME_AT_MOST, printable

UNKNOWN_NAME = "[unknown]"
_NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


def visible_text(text: str, limit: int = NAME_AT_MOST) -> str:
    """``text`` as ``printable`` and fit for XML; what ``limit`` cuts off is counted in it."""
    limit = min(limit, NAME_AT_MOST)
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text  # nearly all names; there may be 250,000
    cut = len(text) - limit
    shown = printable(text[:limit]).translate(_NOT_IN_XML)
    return f"{shown}\u2026 (+{cut} characters)" if cut > 0 else shown


def function_text(name: str, limit: int = NAME_AT_MOST) -> str:
    """``name`` as ``visible_text``, or ``[unknown]`` where it is empty or blank."""
    return visible_text(name, limit) if name and not name.isspace() else UNKNOWN_NAME
