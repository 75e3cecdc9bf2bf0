"""Names of functions in flame graphs."""

import pytest

from topdown.stacks.flame.names import function_text


@pytest.mark.parametrize(
    ("name", "text"),
    [("main", "main"), ("", "[unknown]"), (" \t", "[unknown]"), ("\x1b[2J", "\ufffd[2J")],
)
def test_a_name_without_visible_characters_is_unknown(name: str, text: str) -> None:
    assert function_text(name) == text


def test_a_long_name_is_shortened() -> None:
    assert function_text("x" * 20, 8) == "xxxxxxxx\u2026 (+12 characters)"
