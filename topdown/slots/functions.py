"""Formulas as functions: made once for a model, called for each reading."""

from collections.abc import Callable

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

Asked = Callable[[str], float]
Compiled = Callable[[Asked], float]
LONGEST_SHOWN = 80  # characters of a formula in a message


class NoValueError(Exception):
    """A formula has no value here; the text says why, or is empty where an event is missing."""


def shown(tree: Expression) -> str:
    """Return a formula as a message shows it: cut where it is long."""
    text = written(tree)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 4]} ..."


def compiled(tree: Expression) -> Compiled:
    """Return the function that a formula is, of what answers its names.

    Calling it raises NoValueError where a divisor is 0, and what the answering function raises.
    """
    match tree:
        case Number(value):
            return lambda _: value
        case Name(text):
            return lambda ask: ask(text)
        case Negative(operand):
            inner = compiled(operand)
            return lambda ask: -inner(ask)
        case Choice():
            return _choice(tree)
        case Call(function, arguments):
            return _call(function, [compiled(each) for each in arguments])
        case Binary(sign, left, right):
            return _binary(sign, compiled(left), compiled(right), shown(right))


def _choice(tree: Choice) -> Compiled:
    when, yes, no = compiled(tree.condition), compiled(tree.then), compiled(tree.otherwise)
    return lambda ask: yes(ask) if when(ask) else no(ask)


def _call(function: str, arguments: list[Compiled]) -> Compiled:
    if function == "d_ratio":  # as perf defines it
        above, below = arguments

        def ratio(ask: Asked) -> float:
            divisor = below(ask)
            return above(ask) / divisor if divisor else 0.0

        return ratio
    pick = min if function == "min" else max
    return lambda ask: pick(each(ask) for each in arguments)


def _quotient(above: Compiled, below: Compiled, divisor_shown: str) -> Compiled:
    def quotient(ask: Asked) -> float:
        divisor = below(ask)
        if divisor == 0:
            raise NoValueError(f"division by zero: {divisor_shown} is 0")
        return above(ask) / divisor

    return quotient


def _binary(sign: str, one: Compiled, other: Compiled, other_shown: str) -> Compiled:
    if sign == "/":
        return _quotient(one, other, other_shown)
    functions: dict[str, Compiled] = {
        "+": lambda ask: one(ask) + other(ask),
        "-": lambda ask: one(ask) - other(ask),
        "*": lambda ask: one(ask) * other(ask),
        "<": lambda ask: one(ask) < other(ask),
        ">": lambda ask: one(ask) > other(ask),
        "<=": lambda ask: one(ask) <= other(ask),
        ">=": lambda ask: one(ask) >= other(ask),
        "==": lambda ask: one(ask) == other(ask),
        "!=": lambda ask: one(ask) != other(ask),
        "&": lambda ask: bool(one(ask)) and bool(other(ask)),
        "|": lambda ask: bool(one(ask)) or bool(other(ask)),
    }
    return functions[sign]
