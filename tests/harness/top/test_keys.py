"""Keys are read one at a time, and the terminal is as before afterwards."""

import os
import pty
import sys
import termios

import pytest

from harness.top.keys import KeyReader


def test_a_key_is_read_without_a_line_and_the_terminal_is_restored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    with open(theirs, closefd=True) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(theirs)
        with KeyReader() as keys:
            assert keys.wait(0) == ""
            os.write(ours, b"sq")
            assert (keys.wait(10), keys.wait(10)) == ("s", "q")
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
