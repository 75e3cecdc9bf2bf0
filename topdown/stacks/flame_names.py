"""Names from strangers, made fit to stand in a graph: one line, one direction, of some length."""

from topdown.stacks.printable import NAME_AT_MOST, printable

UNKNOWN_NAME = "[unknown]"


def visible_text(text: str, limit: int = NAME_AT_MOST) -> str:
    """``text`` as ``printable``; what is cut off beyond ``limit`` characters is counted in it."""
    limit = min(limit, NAME_AT_MOST)
    cut = len(text) - limit
    shown = printable(text[:limit])
    return f"{shown}\u2026 (+{cut} characters)" if cut > 0 else shown


def function_text(name: str, limit: int = NAME_AT_MOST) -> str:
    """``name`` as ``visible_text``, or ``[unknown]`` where it is empty or blank."""
    return visible_text(name, limit) if name.strip() else UNKNOWN_NAME
