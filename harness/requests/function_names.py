"""Function names for people: without arguments, namespaces and versions of symbols."""

from collections.abc import Sequence

from stallscope.printable import printable

_OPEN, _CLOSE = "(<[{", ")>]}"


def short_name(name: str) -> str:
    """Return the last part of a function's name: "flush_log" of "server::flush_log(int)"."""
    text = name.partition("@")[0]
    for suffix in (" const", "&", " volatile"):
        text = text.removesuffix(suffix)
    if text.endswith(")"):
        text = text[: _opening(text)]
    depth, start = 0, 0
    for place, letter in enumerate(text):
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        elif depth <= 0 and text.startswith("::", place):
            start = place + 2
    return printable(text[start:].strip()) or printable(name)


def _opening(text: str) -> int:
    """Return the place of the bracket that the last letter of the text closes, or the end."""
    depth = 0
    for place in range(len(text) - 1, 0, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            return place
    return len(text)


def place_text(chain: Sequence[str]) -> str:
    """Return a chain of functions, leaf first: "fsync < flush_log"."""
    return " < ".join(map(short_name, chain[:3]))
