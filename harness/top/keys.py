"""Single keys of a terminal, without echo and without waiting for a line."""

import os
import select
import sys
import termios
import tty
from types import TracebackType
from typing import Self

# Keys with what they do, in the order of the help.
KEYS = {
    "q": "quit",
    "p": "freeze, record 5 s and write the page; space does the same",
    "c": "continue after a freeze",
    "s": "sort by share or by name",
    "f": "record the hottest functions now",
    "?": "show or hide this list",
}


class KeyReader:
    """Reads keys from standard input as long as the block lasts, then restores the terminal."""

    def __enter__(self) -> Self:
        """Turn echo and line mode off."""
        self._descriptor = sys.stdin.fileno()
        self._saved = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the settings of the terminal."""
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._saved)

    def wait(self, seconds: float) -> str:
        """Return the key that is pressed within this time; empty if none is."""
        ready, _, _ = select.select([self._descriptor], [], [], max(0.0, seconds))
        if not ready:
            return ""
        typed = os.read(self._descriptor, 1)
        # At the end of the input nothing can be typed any more.
        return typed.decode("ascii", "replace") if typed else "q"
