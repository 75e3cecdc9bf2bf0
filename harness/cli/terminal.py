"""Output on a terminal: colour, width, escaping, shares, progress."""

import os
import shlex
import sys
import textwrap
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress


def printable(text: str) -> str:
    """Return text with control, bidirectional and undecodable characters made visible."""
    return "".join(
        character
        if character.isprintable() and unicodedata.category(character) not in ("Cf", "Cs", "Co")
        else ascii(character)[1:-1]
        for character in text
    )


def colours() -> bool | None:
    """Return the ``color`` argument of click.echo: False if NO_COLOR is set, else None (automatic).

    An empty NO_COLOR counts as not set (https://no-color.org).
    """
    return False if os.environ.get("NO_COLOR") else None


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return the text in lines, at least one; all but the first begin with ``indent``.

    No word is cut, so that a command can be copied: a long word may exceed the width.
    """
    return textwrap.wrap(
        printable(text),
        width,
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=indent,
    ) or [""]


def width() -> int:
    """Return the width of the terminal in columns; 100 in a pipe."""
    if not sys.stdout.isatty():
        return 100
    import shutil  # noqa: PLC0415 - only for a terminal

    return shutil.get_terminal_size((100, 24)).columns


def display_width(text: str) -> int:
    """Return the number of terminal columns of a text; wide characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - rarely needed

    return cell_len(text)


def pad(text: str, width: int) -> str:
    """Return text with spaces at its end, ``width`` columns wide or wider."""
    return text + " " * max(0, width - display_width(text))


def shorten(text: str, width: int) -> str:
    """Return text of at most ``width`` columns, cut in its middle."""
    if display_width(text) <= width:
        return text
    head = max(1, (width - 1) * 2 // 3)
    tail = _prefix(text[::-1], width - 1 - head)[::-1]
    return f"{_prefix(text, head)}…{tail}"


def _prefix(text: str, width: int) -> str:
    """Return the longest prefix of at most ``width`` columns."""
    if text.isascii():
        return text[:width]
    used = 0
    for length, character in enumerate(text):
        used += display_width(character)
        if used > width:
            return text[:length]
    return text


def percent(share: float) -> str:
    """Return a share (0..1) as "12.3 %"; NaN as "n/a"."""
    return "n/a" if share != share else f"{share * 100:.1f} %"  # noqa: PLR0124 - NaN differs from itself


class LiveLine:
    """A line of progress on stderr, with a bar if the end is known.

    Nothing is written if stderr is not a terminal. The line is redrawn by ``show`` only: no thread
    runs beside a measurement.
    """

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._enabled = sys.stderr.isatty()

    def show(self, text: str, *, done: float = 0.0, whole: float | None = None) -> None:
        """Redraw the line: ``done`` of ``whole``, in one unit, or a text without a bar."""
        if not self._enabled:
            return
        progress = self._progress or self._started()
        task = progress.tasks[0].id
        progress.update(task, description=printable(text), completed=done, total=whole)
        progress.tasks[0].visible = True
        progress.refresh()

    def clear(self) -> None:
        """Remove the line."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _started(self) -> "Progress":
        from rich.console import Console  # noqa: PLC0415 - only on a terminal
        from rich.progress import BarColumn, Progress, Task, TextColumn  # noqa: PLC0415
        from rich.progress_bar import ProgressBar  # noqa: PLC0415
        from rich.table import Column  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        class Bar(BarColumn):
            """A bar that takes no room until the end is known."""

            def render(self, task: Task) -> ProgressBar | Text:  # type: ignore[override]
                return Text() if task.total is None else super().render(task)

        text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self._progress = Progress(
            Bar(bar_width=12),
            text,
            console=Console(stderr=True, highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self._progress.add_task("", total=None)
        self._progress.start()
        return self._progress


def report_command(recording: Path) -> str:
    """Return the shell command that reports a recording."""
    word = str(recording)
    return f"stallscope report {shlex.quote(f'./{word}' if word.startswith('-') else word)}"


def warn(message: str) -> None:
    """Write one warning to stderr."""
    head = click.style("warning: ", fg="yellow")
    click.echo(head + printable(message), err=True, color=colours())


def note(message: str) -> None:
    """Write one line of progress or advice to stderr."""
    click.echo(printable(message), err=True)
