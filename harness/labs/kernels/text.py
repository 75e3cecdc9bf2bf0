"""A result of the kernels lab for the terminal: expected and diagnosed answer per program."""

from collections.abc import Iterator

import click

from harness.cli.terminal import printable, wrapped
from harness.labs.kernels.result import KernelRow, KernelsResult, KernelVerdict
from harness.recordings.settings_text import settings_lines

_KERNEL_WIDTH, _ANSWER_WIDTH, _KIND_WIDTH = 20, 36, 12
_COLOURS = {
    KernelVerdict.RIGHT: "green",
    KernelVerdict.WRONG: "red",
    KernelVerdict.BEYOND: "yellow",
    KernelVerdict.FAILED: "red",
}
_ALWAYS_COUNTED = (KernelVerdict.RIGHT, KernelVerdict.WRONG)
_INDENT = "  "
_MIN_ROOM = 30


def heading() -> str:
    """Return the first line of the table."""
    return _columns("kernel", "expected", "answer", "kind")


def row_line(row: KernelRow) -> str:
    """Return a row; a held-out program has an asterisk."""
    name = row.kernel + ("*" if row.held_out else "")
    answer = printable(row.answer) if row.answer is not None else "-"
    text = _columns(name, row.expected, answer, str(row.kind))
    return text + click.style(str(row.verdict), fg=_COLOURS[row.verdict])


def closing_lines(result: KernelsResult, room: int) -> Iterator[str]:
    """Yield what follows the table: reasons of rows that are not right, counts, settings."""
    yield ""
    for row in result.rows:
        if row.verdict is not KernelVerdict.RIGHT:
            text = f"{row.kernel}: {printable(row.why)}"
            yield from wrapped(text, max(_MIN_ROOM, room), _INDENT)
    if any(row.held_out for row in result.rows):
        yield "* held out: no constant of the modelled source was tuned with it"
    counts = {
        verdict: sum(row.verdict is verdict for row in result.rows) for verdict in KernelVerdict
    }
    yield ", ".join(
        f"{count} {verdict}"
        for verdict, count in counts.items()
        if count or verdict in _ALWAYS_COUNTED
    )
    yield from settings_lines(result.settings, room)


def lines(result: KernelsResult, room: int) -> Iterator[str]:
    """Yield all lines for a terminal ``room`` columns wide."""
    yield heading()
    yield from map(row_line, result.rows)
    yield from closing_lines(result, room)


def _columns(kernel: str, expected: str, answer: str, kind: str) -> str:
    return (
        f"{kernel:<{_KERNEL_WIDTH}}{expected:<{_ANSWER_WIDTH}}{answer:<{_ANSWER_WIDTH}}"
        f"{kind:<{_KIND_WIDTH}}"
    )
