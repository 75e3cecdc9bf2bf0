"""Untrusted names as text: control characters, directions, lengths, invalid UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.printable import MAX_NAME_LENGTH, printable, visible_text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"main", "main"),
        ("caf\u00e9", "caf\u00e9"),
        (b"a\xffb", "a\ufffdb"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("line\u2028end\n", "line\ufffdend\ufffd"),
        ("\ud800", "\ufffd"),
    ],
)
def test_characters_that_a_terminal_interprets_are_replaced(name: bytes | str, text: str) -> None:
    assert printable(name) == text


@given(st.text(), st.integers(1, 50))
def test_a_shortened_text_says_how_much_is_missing(text: str, limit: int) -> None:
    shown = visible_text(text, limit)
    if len(text) > limit:
        assert shown.endswith(f"\u2026 (+{len(text) - limit} characters)")
    else:
        assert len(shown) == len(text)
    assert "\ufffe" not in shown


def test_a_name_has_a_largest_length() -> None:
    assert len(printable("x" * 10_000)) == MAX_NAME_LENGTH
