"""Text on a terminal: widths, progress."""

import os
import pty
import subprocess
import sys

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


def test_progress_is_drawn_on_a_terminal_only_and_removed() -> None:
    code = (
        "from harness.cli.terminal import LiveLine; line = LiveLine();"
        "line.show('reading <b>[bold]', done=1, whole=4); line.show('text alone'); line.clear()"
    )
    main, terminal = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=terminal, check=True)
    os.close(terminal)
    drawn = os.read(main, 65536).decode()
    os.close(main)
    assert "━" in drawn
    assert "reading <b>[bold]" in drawn
    assert drawn.index("text alone") > drawn.index("reading")
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert piped.stderr == b""
