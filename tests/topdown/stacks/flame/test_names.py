"""Names of functions in flame graphs."""

import pytest

from topdown.stacks.flame.names import function_text, function_texts
from topdown.stacks.profile import Function, FunctionKind


@pytest.mark.parametrize(
    ("name", "text"),
    [("main", "main"), ("", "[unknown]"), (" \t", "[unknown]"), ("\x1b[2J", "\ufffd[2J")],
)
def test_a_name_without_visible_characters_is_unknown(name: str, text: str) -> None:
    assert function_text(name) == text


def test_a_long_name_is_shortened() -> None:
    assert function_text("x" * 20, 8) == "xxxxxxxx\u2026 (+12 characters)"


@pytest.mark.parametrize("other", ["main", "\u202eevil", "x" * 5000])
def test_names_together_have_the_same_texts(other: str) -> None:
    names = ["", " ", "operator new(unsigned long)", other]
    functions = [Function(name, "[jit]", FunctionKind.USER) for name in names]
    assert function_texts(functions) == [function_text(name) for name in names]
