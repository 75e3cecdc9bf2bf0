"""Formulas compiled to functions of named values.

A function takes a mapping of names to numbers. It raises KeyError for the first name without a
value, and ZeroDivisionError; zero_divisor() then returns the divisor.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter

from topdown.slots.expressions import (
    BinaryOperation,
    Conditional,
    Expression,
    FunctionCall,
    Name,
    Negative,
    NumberLiteral,
    written,
)

Values = Mapping[str, float]
FormulaFunction = Callable[[Values], float]
MAX_MESSAGE_CHARS = 80  # characters of a formula in a message


def formula_text(tree: Expression) -> str:
    """Return a formula for a message, truncated if it is long."""
    text = written(tree)
    return text if len(text) <= MAX_MESSAGE_CHARS else f"{text[: MAX_MESSAGE_CHARS - 4]} ..."


def compiled(tree: Expression) -> FormulaFunction:
    """Return a formula as a function."""
    match tree:
        case NumberLiteral(value):
            return lambda _: value
        case Name(text):
            return itemgetter(text)
        case Negative(operand):
            inner = compiled(operand)
            return lambda values: -inner(values)
        case Conditional():
            return _choice(tree)
        case FunctionCall(function, arguments):
            return _call(function, [compiled(argument) for argument in arguments])
        case BinaryOperation(sign, left, right):
            return _binary(sign, compiled(left), compiled(right))


def _choice(tree: Conditional) -> FormulaFunction:
    condition, then, otherwise = map(compiled, (tree.condition, tree.then, tree.otherwise))
    return lambda values: then(values) if condition(values) else otherwise(values)


def _call(function: str, arguments: list[FormulaFunction]) -> FormulaFunction:
    if function == "d_ratio":  # perf's division that returns 0 for a divisor of 0
        dividend, divisor = arguments
        return lambda values: dividend(values) / divisor(values) if divisor(values) else 0.0
    pick = min if function == "min" else max
    return lambda values: pick([argument(values) for argument in arguments])


def _binary(sign: str, left: FormulaFunction, right: FormulaFunction) -> FormulaFunction:
    functions: dict[str, FormulaFunction] = {
        "+": lambda values: left(values) + right(values),
        "-": lambda values: left(values) - right(values),
        "*": lambda values: left(values) * right(values),
        "/": lambda values: left(values) / right(values),
        "<": lambda values: left(values) < right(values),
        ">": lambda values: left(values) > right(values),
        "<=": lambda values: left(values) <= right(values),
        ">=": lambda values: left(values) >= right(values),
        "==": lambda values: left(values) == right(values),
        "!=": lambda values: left(values) != right(values),
        "&": lambda values: bool(left(values)) and bool(right(values)),
        "|": lambda values: bool(left(values)) or bool(right(values)),
    }
    return functions[sign]


def zero_divisor(tree: Expression, values: Values) -> str:
    """Return the text of the divisor that is 0 in a formula, or an empty string."""
    match tree:
        case BinaryOperation(sign, left, right):
            divisor = zero_divisor(left, values) or zero_divisor(right, values)
            return divisor or (
                formula_text(right) if sign == "/" and _is_zero(right, values) else ""
            )
        case Negative(operand):
            return zero_divisor(operand, values)
        case Conditional(condition, then, otherwise):
            parts = [zero_divisor(part, values) for part in (condition, then, otherwise)]
            return next(filter(None, parts), "")
        case FunctionCall(_, arguments):
            parts = [zero_divisor(argument, values) for argument in arguments]
            return next(filter(None, parts), "")
        case _:
            return ""


def _is_zero(tree: Expression, values: Values) -> bool:
    try:
        return compiled(tree)(values) == 0
    except (KeyError, ArithmeticError):
        return False
