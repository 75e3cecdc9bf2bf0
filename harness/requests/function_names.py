"""Function names for people: without arguments, namespaces and versions of symbols."""

from collections.abc import Sequence

from harness.waits.ended_text import plain_name
from stallscope.printable import printable

_OPEN, _CLOSE = "(<[{", ")>]}"


def short_name(name: str) -> str:
    """Return the last part of a function's name: "flush_log" of "server::flush_log(int)"."""
    text = plain_name(name.partition("@")[0])
    depth, start = 0, 0
    for place, letter in enumerate(text):
        if letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        elif depth <= 0 and text.startswith("::", place):
            start = place + 2
    return printable(text[start:].strip()) or printable(name)


def place_text(chain: Sequence[str]) -> str:
    """Return a chain of functions, leaf first: "fsync < flush_log"."""
    return " < ".join(map(short_name, chain[:3]))
