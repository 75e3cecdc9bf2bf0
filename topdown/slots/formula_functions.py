"""Formulas as functions of the values known so far: made once for a model, called per reading.

A function takes a mapping of names to numbers. It raises KeyError of the first name that has none,
and ZeroDivisionError; zero_divisor() then says which divisor it was.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter

from topdown.slots.expressions import (
    Binary,
    Call,
    Choice,
    Expression,
    Name,
    Negative,
    Number,
    written,
)

Known = Mapping[str, float]
Compiled = Callable[[Known], float]
LONGEST_SHOWN = 80  # characters of a formula in a message


def shown(tree: Expression) -> str:
    """Return a formula as a message shows it: cut where it is long."""
    text = written(tree)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 4]} ..."


def compiled(tree: Expression) -> Compiled:
    """Return the function that a formula is."""
    match tree:
        case Number(value):
            return lambda _: value
        case Name(text):
            return itemgetter(text)
        case Negative(operand):
            inner = compiled(operand)
            return lambda known: -inner(known)
        case Choice():
            return _choice(tree)
        case Call(function, arguments):
            return _call(function, [compiled(each) for each in arguments])
        case Binary(sign, left, right):
            return _binary(sign, compiled(left), compiled(right))


def _choice(tree: Choice) -> Compiled:
    when, yes, no = compiled(tree.condition), compiled(tree.then), compiled(tree.otherwise)
    return lambda known: yes(known) if when(known) else no(known)


def _call(function: str, arguments: list[Compiled]) -> Compiled:
    if function == "d_ratio":  # as perf defines it
        above, below = arguments
        return lambda known: above(known) / below(known) if below(known) else 0.0
    pick = min if function == "min" else max
    return lambda known: pick([each(known) for each in arguments])


def _binary(sign: str, one: Compiled, other: Compiled) -> Compiled:
    functions: dict[str, Compiled] = {
        "+": lambda known: one(known) + other(known),
        "-": lambda known: one(known) - other(known),
        "*": lambda known: one(known) * other(known),
        "/": lambda known: one(known) / other(known),
        "<": lambda known: one(known) < other(known),
        ">": lambda known: one(known) > other(known),
        "<=": lambda known: one(known) <= other(known),
        ">=": lambda known: one(known) >= other(known),
        "==": lambda known: one(known) == other(known),
        "!=": lambda known: one(known) != other(known),
        "&": lambda known: bool(one(known)) and bool(other(known)),
        "|": lambda known: bool(one(known)) or bool(other(known)),
    }
    return functions[sign]


def zero_divisor(tree: Expression, known: Known) -> str:
    """Return the divisor of a formula that is 0, as a message shows it; empty where none is."""
    match tree:
        case Binary(sign, left, right):
            found = zero_divisor(left, known) or zero_divisor(right, known)
            return found or (shown(right) if sign == "/" and _is_zero(right, known) else "")
        case Negative(operand):
            return zero_divisor(operand, known)
        case Choice(condition, then, otherwise):
            parts = [zero_divisor(each, known) for each in (condition, then, otherwise)]
            return next(filter(None, parts), "")
        case Call(_, arguments):
            parts = [zero_divisor(each, known) for each in arguments]
            return next(filter(None, parts), "")
        case _:
            return ""


def _is_zero(tree: Expression, known: Known) -> bool:
    try:
        return compiled(tree)(known) == 0
    except (KeyError, ArithmeticError):
        return False
