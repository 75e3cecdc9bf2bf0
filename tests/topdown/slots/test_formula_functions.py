"""The values of formulas, and the divisor that makes them undefined."""

import math

import pytest

from topdown.slots.expressions import (
    parse,
    written,
)
from topdown.slots.formula_functions import compiled, zero_divisor


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("8 / 4 / 2", 1),
        ("10 - 4 - 3", 3),
        ("10 - (4 - 3)", 9),
        ("-a + 5", 3),
        ("- ( a + b )", -5),
        ("max( a , b , 1 )", 3),
        ("min(a, b)", 2),
        ("d_ratio(a, 0)", 0),
        ("d_ratio(b, a)", 1.5),
        ("a if b > 2 else 0", 2),
        ("1 - a / 4 if b < 2 else 9", 9),
        ("7 if b > 9 else 8 if b > 2 else 6", 8),
        ("a == 2 & b != 2", 1),
        ("a > 5 | b >= 3", 1),
        ("icache_16b.ifdata_stall:c1:e1 / 2", 50),
        ("4k_aliasing", 4),
        ("1e3 + .5", 1000.5),
    ],
)
def test_values(text: str, value: float) -> None:
    known = {"a": 2.0, "b": 3.0, "icache_16b.ifdata_stall:c1:e1": 100.0, "4k_aliasing": 4.0}
    assert compiled(parse(text))(known) == value
    assert compiled(parse(written(parse(text))))(known) == value


def test_the_divisor_that_is_zero_is_named() -> None:
    tree = parse("1 - a / (b - c)")
    known = {"a": 1.0, "b": 2.0, "c": 2.0}
    with pytest.raises(ZeroDivisionError):
        compiled(tree)(known)
    assert zero_divisor(tree, known) == "b - c"
    assert zero_divisor(tree, {**known, "c": 1.0}) == ""
    assert math.isclose(compiled(tree)({**known, "c": 1.0}), 0)
