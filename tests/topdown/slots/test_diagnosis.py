"""Impossible values and the term of the formula that causes them."""

import pytest

from topdown.slots.diagnosis import suspect_terms
from topdown.slots.expressions import parse


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("a - b", [("-", "a", "b")]),
        ("a / b", [("/", "a", "b")]),
        ("1 - a / b", [("-", "1", "a / b"), ("/", "a", "b")]),
        ("a + b * c", []),
    ],
)
def test_differences_and_quotients_are_suspect_the_outermost_first(
    formula: str, terms: list[tuple[str, str, str]]
) -> None:
    suspects = suspect_terms(parse(formula))
    assert [(term.sign, term.left_text, term.right_text) for term in suspects] == terms


def test_a_suspect_term_computes_both_sides() -> None:
    [term] = suspect_terms(parse("a - 2 * b"))
    assert (term.left({"a": 3.0, "b": 5.0}), term.right({"a": 3.0, "b": 5.0})) == (3.0, 10.0)
