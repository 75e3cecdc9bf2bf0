"""Thresholds: whether a node is above its vendor's, as far as the values it turns on are known."""

from collections.abc import Mapping

from topdown.slots.expressions import Binary, Expression, Name, Number, written

# (node, whether above is wanted, bound); one of the outer must hold with all of its inner.
Comparison = tuple[str, bool, float]
Condition = tuple[tuple[Comparison, ...], ...]


def condition_of(tree: Expression) -> Condition:
    """Return a threshold as alternatives of comparisons; ValueError where it is something else."""
    match tree:
        case Binary("|", left, right):
            return condition_of(left) + condition_of(right)
        case Binary("&", left, right):
            return tuple(one + other for one in condition_of(left) for other in condition_of(right))
        case Binary(">" | "<" as sign, Name(name), Number(bound)):
            return (((name, sign == ">", bound),),)
        case _:
            raise ValueError(f"not a threshold: {written(tree)}")


def holds(condition: Condition, values: Mapping[str, float]) -> bool | None:
    """Return whether a condition holds; None where it turns on a value that is not known."""
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
