"""Thresholds, with values that are not known."""

import pytest

from topdown.slots.expressions import parse
from topdown.slots.thresholds import condition_of, holds


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("a > 0.1", {"a": 0.2}, True),
        ("a > 0.1", {"a": 0.1}, False),
        ("a > 0.1", {}, None),
        ("a < 0.1", {"a": 0.05}, True),
        ("a < 0.1", {"a": 0.1}, False),
        ("a > 0.1 & b > 0.2", {"a": 0.2, "b": 0.3}, True),
        ("a > 0.1 & b > 0.2", {"a": 0.2}, None),
        ("a > 0.1 & b > 0.2", {"b": 0.1}, False),
        ("a > 0.7 | b > 0.1", {"b": 0.2}, True),
        ("a > 0.7 | b > 0.1", {"b": 0.1}, None),
        ("a > 0.7 | b > 0.1", {"a": 0.1, "b": 0.1}, False),
        ("(a > 1 | b > 1) & c > 1", {"a": 2, "b": 0, "c": 2}, True),
    ],
)
def test_holds(text: str, values: dict[str, float], expected: bool | None) -> None:
    assert holds(condition_of(parse(text)), values) is expected


@pytest.mark.parametrize("text", ["a + b > 1", "a", "a >= 1", "max(a, b) > 1"])
def test_other_conditions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a threshold"):
        condition_of(parse(text))
