"""What every command's terminal output stands on: colour, width, escaping, shares, live lines."""

import os
import shlex
import shutil
import sys
import textwrap
import unicodedata
from pathlib import Path

import click


def printable(text: str) -> str:
    """Return text with control, bidirectional and undecodable characters made visible."""
    return "".join(
        character
        if character.isprintable() and unicodedata.category(character) not in ("Cf", "Cs", "Co")
        else ascii(character)[1:-1]
        for character in text
    )


def colours() -> bool | None:
    """Return what click.echo takes: False where NO_COLOR is set, else None: as the stream allows.

    As https://no-color.org says: set to nothing is not set.
    """
    return False if os.environ.get("NO_COLOR") else None


def wrapped(text: str, room: int, hanging: str = "") -> list[str]:
    """Return the text in lines, at least one, all but the first behind ``hanging``.

    A word, as of a command, is never cut: it may be longer than the room.
    """
    return textwrap.wrap(
        printable(text),
        room,
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=hanging,
    ) or [""]


def width() -> int:
    """Return the columns to fill: the terminal's, or 100 in a pipe."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100


def shorten(text: str, room: int) -> str:
    """Return text cut in its middle, so that it takes at most ``room`` characters."""
    if len(text) <= room:
        return text
    head = max(1, (room - 1) * 2 // 3)
    return f"{text[:head]}…{text[len(text) - (room - 1 - head) :]}"


def percent(share: float) -> str:
    """Return a share of 0..1 as "12.3 %"; a missing one as "n/a"."""
    return "n/a" if share != share else f"{share * 100:.1f} %"  # noqa: PLR0124 - NaN differs from itself


class LiveLine:
    """One line on stderr that is written over; silent where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._length = 0

    def show(self, text: str) -> None:
        """Write the line over the former one."""
        if self._shown:
            text = text[: max(1, _columns_of_stderr() - 1)]
            click.echo("\r" + text.ljust(self._length), nl=False, err=True)
            self._length = len(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and self._length:
            # To the line's end: the terminal has echoed a ^C behind it.
            click.echo("\r\x1b[K", nl=False, err=True, color=True)
            self._length = 0


def _columns_of_stderr() -> int:
    """Return the terminal's columns: stdout may be a pipe of another width, or none."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def report_command(recording: Path) -> str:
    """Return the command that reports a recording, as a shell takes it."""
    word = str(recording)
    return f"stallscope report {shlex.quote(f'./{word}' if word.startswith('-') else word)}"


def warn(message: str) -> None:
    """Write one warning to stderr."""
    head = click.style("warning: ", fg="yellow")
    click.echo(head + printable(message), err=True, color=colours())


def note(message: str) -> None:
    """Write one line of progress or advice to stderr."""
    click.echo(printable(message), err=True)
