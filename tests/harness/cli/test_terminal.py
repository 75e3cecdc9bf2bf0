"""Widths of text on a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from harness.cli.terminal import display_width, pad, shorten

WIDE = "\u95a2\u6570"  # two characters, four columns


def test_wide_characters_take_two_columns() -> None:
    assert display_width("main") == 4
    assert display_width(WIDE) == 4
    assert pad(WIDE, 6) == f"{WIDE}  "
    assert pad(WIDE, 3) == WIDE


def test_a_shortened_name_keeps_both_ends() -> None:
    assert shorten("abcdefghij", 7) == "abcd…ij"
    assert shorten(WIDE * 5, 20) == WIDE * 5
    assert shorten(WIDE * 5, 10) == f"{WIDE}\u95a2…\u6570"


@given(st.text(max_size=40), st.integers(4, 30))
def test_a_shortened_text_fits_its_width(text: str, width: int) -> None:
    assert display_width(shorten(text, width)) <= width
