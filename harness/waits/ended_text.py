"""The longest waits and what ended them, with the call chain of the waker, for a terminal."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, shorten, wrapped
from harness.waits.result import EndedWait
from stallscope.quantities import value_text
from topdown.waits.wakers import NOT_RECORDED

SHORT_WAITS = 3
SHOWN_WAITS = 10
_MAX_FUNCTION = 48
_INDENT = " " * 12
_QUALIFIERS = frozenset(("const", "volatile", "noexcept"))


def functions_text(functions: Sequence[str]) -> str:
    """Return functions, innermost first: "read <- handle <- main"."""
    return " <- ".join(shorten(printable(plain_name(name)), _MAX_FUNCTION) for name in functions)


def plain_name(name: str) -> str:
    """Return a C++ or Rust name without the list of its parameters at its end."""
    end = name.rfind(")")
    qualifiers = name[end + 1 :].replace("&", " ").split()
    if end < 0 or not _QUALIFIERS.issuperset(qualifiers):
        return name
    depth = 0
    for place in range(end, -1, -1):
        depth += (name[place] == ")") - (name[place] == "(")
        if depth == 0:
            plain = name[:place]
            return name if not plain or plain.endswith(("::", "operator")) else plain
    return name


def place_text(wait: EndedWait) -> str:
    """Return which thread waits where."""
    place = functions_text(wait.functions)
    return f"{printable(wait.thread)} in {place}" if place else f"{printable(wait.thread)}"


def waker_text(wait: EndedWait) -> str:
    """Return what ended the wait: "hog: futex_wake <- unlock <- main"."""
    chain = functions_text(wait.waker_functions)
    return f"{printable(wait.waker)}: {chain}" if chain else printable(wait.waker)


def lines(
    waits: Sequence[EndedWait], unavailable: str, width: int, shown: int = SHORT_WAITS
) -> Iterator[str]:
    """Yield the waits, the longest first; nothing without waits."""
    if not waits:
        return
    yield "Longest waits, and what ended them (functions innermost first):"
    for wait in waits[:shown]:
        time = value_text(wait.wait_ns, "ns")
        yield from wrapped(f"  {time:>8}  {place_text(wait)}", width, _INDENT + "  ")
        ended = f"woken by {waker_text(wait)}"
        if wait.waker == NOT_RECORDED:
            ended = "what ended it is not recorded"
        yield from wrapped(_INDENT + ended, width, _INDENT + "  ")
    if len(waits) > shown:
        more = len(waits) - shown
        yield f"{_INDENT}{more:,} more {'is' if more == 1 else 'are'} in the document (--json)."
    if unavailable:
        yield from wrapped(f"  functions of wakers are unavailable: {unavailable}", width, "  ")
