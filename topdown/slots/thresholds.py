"""Vendors' thresholds: whether a node is above its own, if the required values are known."""

from collections.abc import Mapping

from topdown.slots.expressions import BinaryOperation, Expression, Name, NumberLiteral, written

# (node, True if the value must be above the bound, bound). A condition holds if all comparisons of
# one alternative hold.
Comparison = tuple[str, bool, float]
Condition = tuple[tuple[Comparison, ...], ...]


def condition_of(tree: Expression) -> Condition:
    """Return a threshold as alternatives of comparisons. Raises ValueError for other formulas."""
    match tree:
        case BinaryOperation("|", left, right):
            return condition_of(left) + condition_of(right)
        case BinaryOperation("&", left, right):
            return tuple(
                first + second for first in condition_of(left) for second in condition_of(right)
            )
        case BinaryOperation(">" | "<" as sign, Name(name), NumberLiteral(bound)):
            return (((name, sign == ">", bound),),)
        case _:
            raise ValueError(f"not a threshold: {written(tree)}")


def holds(condition: Condition, values: Mapping[str, float]) -> bool | None:
    """Return whether a condition holds, or None if it depends on a missing value."""
    result: bool | None = False
    for comparisons in condition:
        outcome: bool | None = True
        for name, above, bound in comparisons:
            value = values.get(name)
            if value is None:
                outcome = None
            elif (value > bound) != above or value == bound:
                outcome = False
                break
        if outcome:
            return True
        if outcome is None:
            result = None
    return result
