"""Impossible values, and the term of a formula that causes them."""

from collections.abc import Iterator
from dataclasses import dataclass

from topdown.slots.expressions import (
    BinaryOperation,
    Conditional,
    Expression,
    FunctionCall,
    Negative,
)
from topdown.slots.formula_functions import FormulaFunction, Values, compiled, formula_text
from topdown.slots.model import Node

MAX_SUSPECT_TERMS = 8
ROUNDING = 1e-9  # share of the whole: rounding error of sums of shares
ESTIMATES = ("_Estimated", "_Calculated")
_CONTRADICTION = "the counts contradict each other, for example if not counted at the same time"
_ESTIMATE = "an estimate with a fixed cost per event, too high if events overlap"


@dataclass(frozen=True, slots=True)
class SuspectTerm:
    """A difference that must not be negative, or a quotient that must not exceed 1."""

    sign: str  # "-" or "/"
    left: FormulaFunction
    right: FormulaFunction
    left_text: str
    right_text: str


def suspect_terms(tree: Expression) -> tuple[SuspectTerm, ...]:
    """Return the differences and quotients of a formula, the outermost first."""
    terms = []
    for expression in _outermost_first(tree):
        if isinstance(expression, BinaryOperation) and expression.sign in "-/":
            left, right = compiled(expression.left), compiled(expression.right)
            texts = formula_text(expression.left), formula_text(expression.right)
            terms.append(SuspectTerm(expression.sign, left, right, *texts))
    return tuple(terms[:MAX_SUSPECT_TERMS])


def _outermost_first(tree: Expression) -> Iterator[Expression]:
    pending = [tree]
    while pending:
        expression = pending.pop(0)
        yield expression
        match expression:
            case Negative(operand):
                pending.append(operand)
            case BinaryOperation(_, left, right):
                pending += (left, right)
            case Conditional(_, then, otherwise):
                pending += (then, otherwise)
            case FunctionCall(_, arguments):
                pending += arguments


def impossible(node: Node, value: float, whole: float) -> str:
    """Return why a value is impossible, or an empty string."""
    if value < -ROUNDING * whole:
        return "negative"
    if node.name.endswith("_ratio"):  # a ratio of event counts
        whole = 1.0
    elif node.level is None and not node.domain.startswith("percent"):
        return ""
    return "more than the whole" if value > whole * (1 + ROUNDING) else ""


def cause(node: Node, formula: tuple[SuspectTerm, ...], values: Values, *, negative: bool) -> str:
    """Return the term that makes a value negative or more than the whole, with its values."""
    sign = "-" if negative else "/"
    why = _ESTIMATE if node.domain.endswith(ESTIMATES) and not negative else _CONTRADICTION
    for suspect in formula:
        if suspect.sign != sign:
            continue
        try:
            left, right = suspect.left(values), suspect.right(values)
        except (KeyError, ArithmeticError):
            continue  # in the branch of a condition that was not taken
        if left < right if negative else abs(left) > abs(right):
            sides = (suspect.left_text, left), (suspect.right_text, right)
            (larger, high), (smaller, low) = sides[::-1] if negative else sides
            return f"{larger} = {high:.6g} exceeds {smaller} = {low:.6g}; {why}"
    return why
