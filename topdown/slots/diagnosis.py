"""What is wrong with an impossible value: the term of its formula that makes it so."""

from collections.abc import Iterator
from dataclasses import dataclass

from topdown.slots.expressions import Binary, Call, Choice, Expression, Negative
from topdown.slots.formula_functions import Compiled, Known, compiled, shown
from topdown.slots.model import Node

MOST_SUSPECTS = 8
ROUNDING = 1e-9  # of the whole: sums of shares end this near to 0 and 1
ESTIMATES = ("_Estimated", "_Calculated")
_CONTRADICTION = "the counts contradict each other, as when they were not taken at the same time"
_ESTIMATE = "an estimate with a fixed cost for each event, which overlapping events overstate"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A difference that must not be negative, or a quotient that must not pass 1."""

    sign: str  # "-" or "/"
    left: Compiled
    right: Compiled
    left_shown: str
    right_shown: str


def suspects(tree: Expression) -> tuple[Suspect, ...]:
    """Return the differences and quotients of a formula, the outermost first."""
    found = []
    for each in _outermost_first(tree):
        if isinstance(each, Binary) and each.sign in "-/":
            left, right = compiled(each.left), compiled(each.right)
            found.append(Suspect(each.sign, left, right, shown(each.left), shown(each.right)))
    return tuple(found[:MOST_SUSPECTS])


def _outermost_first(tree: Expression) -> Iterator[Expression]:
    waiting = [tree]
    while waiting:
        each = waiting.pop(0)
        yield each
        match each:
            case Negative(operand):
                waiting.append(operand)
            case Binary(_, left, right):
                waiting += (left, right)
            case Choice(_, then, otherwise):
                waiting += (then, otherwise)
            case Call(_, arguments):
                waiting += arguments


def impossible(node: Node, value: float, whole: float) -> str:
    """Return in words why a value cannot be; empty where it can."""
    if value < -ROUNDING * whole:
        return "negative"
    if node.name.endswith("_ratio"):  # of one kind of event among another
        whole = 1.0
    elif node.level is None and not node.domain.startswith("percent"):
        return ""
    return "more than the whole" if value > whole * (1 + ROUNDING) else ""


def cause(node: Node, formula: tuple[Suspect, ...], known: Known, *, negative: bool) -> str:
    """Return the term that makes a value negative, or more than the whole, with its numbers."""
    wanted = "-" if negative else "/"
    why = _ESTIMATE if node.domain.endswith(ESTIMATES) and not negative else _CONTRADICTION
    for suspect in formula:
        if suspect.sign != wanted:
            continue
        try:
            left, right = suspect.left(known), suspect.right(known)
        except (KeyError, ArithmeticError):
            continue  # of the way not chosen
        if left < right if negative else abs(left) > abs(right):
            greater = (suspect.left_shown, left), (suspect.right_shown, right)
            (more, most), (less, least) = greater[::-1] if negative else greater
            return f"{more} = {most:.6g} exceeds {less} = {least:.6g}; {why}"
    return why
