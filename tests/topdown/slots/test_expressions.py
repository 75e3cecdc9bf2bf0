"""The formula language: what it reads, what it refuses, and that writing loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.slots.expressions import (
    MAX_CHARS,
    MAX_DEPTH,
    MAX_OPERANDS,
    BinaryOperation,
    Conditional,
    Expression,
    FormulaError,
    FunctionCall,
    Name,
    Negative,
    NumberLiteral,
    names,
    parse,
    renamed,
    resolved,
    written,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "(1",
        "1)",
        "a b",
        "1 if 2",
        "if",
        "a else b",
        "max()",
        "d_ratio(1)",
        "d_ratio(1, 2, 3)",
        "a ** b",
        "__import__('os')",
        "a[0]",
        "a; b",
        "a ^ b",
        "a\x00",
        "('" * 3,
        "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1),
        "+".join("1" * (MAX_OPERANDS + 1)),
        "1" * (MAX_CHARS + 1),
    ],
)
def test_refusals(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text)


NAMES = st.from_regex(r"[a-z_]{1,8}(\.[a-z0-9]{1,4})?(:c[0-9])?", fullmatch=True).filter(
    lambda name: name not in ("if", "else", "min", "max", "d_ratio")
)

TREES = st.recursive(
    st.builds(NumberLiteral, st.floats(0, 1e12, allow_nan=False)) | st.builds(Name, NAMES),
    lambda inner: (
        st.builds(Negative, inner.filter(lambda tree: not isinstance(tree, Negative)))
        | st.builds(
            BinaryOperation,
            st.sampled_from(["+", "-", "*", "/", "<", ">=", "&", "|"]),
            inner,
            inner,
        )
        | st.builds(Conditional, inner, inner, inner)
        | st.builds(FunctionCall, st.just("max"), st.tuples(inner, inner))
    ),
    max_leaves=12,
)


@given(TREES)
def test_a_written_formula_parses_to_an_equal_tree(tree: Expression) -> None:
    assert parse(written(tree)) == tree


@given(st.text(alphabet="ab1.()+-*/<>&|, ifelsmxn:=_", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
    except FormulaError:
        return
    assert parse(written(tree)) == tree


def test_names_renamed_and_settled() -> None:
    tree = parse("a / 2 if smt_on else (b if x > 1 else c)")
    assert names(tree) == {"a", "b", "c", "x", "smt_on"}
    assert resolved(tree, {"smt_on": True}) == parse("a / 2")
    assert names(resolved(tree, {"smt_on": False})) == {"b", "c", "x"}
    assert written(renamed(parse("a + max(b, -c)"), str.upper)) == "A + max(B, -C)"
