"""A result of the waits lab for the terminal: expected and found cause and shares per program."""

from collections.abc import Iterator

import click

from harness.cli.terminal import percent, printable, wrapped
from harness.labs.waits.result import ProgramRow, ProgramVerdict, WaitsLabResult
from harness.recordings.settings_text import settings_lines

_PROGRAM_WIDTH, _CAUSE_WIDTH, _SHARE_WIDTH = 28, 24, 12
_COLOURS = {
    ProgramVerdict.RIGHT: "green",
    ProgramVerdict.WRONG: "red",
    ProgramVerdict.FAILED: "red",
}
_INDENT = "  "
_MIN_ROOM = 30


def heading() -> str:
    """Return the first line of the table."""
    return (
        _columns("program", "expected cause", "first cause", "difference") + "cause, shares, sign"
    )


def row_line(row: ProgramRow) -> str:
    """Return a row; that of a look-alike is indented, and its cause must not come first."""
    name = f"{_INDENT}look-alike" if row.look_alike else row.program
    expected = row.expected_cause or "-"
    if row.look_alike and row.expected_cause:
        expected = f"not {expected}"
    first = f"{row.causes[0].kind} {row.causes[0].name}" if row.causes else "-"
    points = row.largest_difference
    difference = "-" if points is None else f"{100 * points:.1f} points"
    verdicts = [row.cause_verdict, row.share_verdict]
    if row.expected_sign is not None:
        verdicts.append(row.sign_verdict)
    texts = [click.style(str(verdict), fg=_COLOURS[verdict]) for verdict in verdicts]
    return _columns(name, expected, printable(first), difference) + ", ".join(texts)


def closing_lines(result: WaitsLabResult, room: int) -> Iterator[str]:
    """Yield what follows the table: reasons of rows that are not right, counts, settings."""
    yield ""
    for row in result.rows:
        if not row.is_right:
            text = f"{_title(row)}: {_reason(row, result.tolerance)}"
            yield from wrapped(text, max(_MIN_ROOM, room), _INDENT)
    right = sum(row.is_right for row in result.rows)
    yield f"{right} right, {len(result.rows) - right} wrong or failed"
    yield from settings_lines(result.settings, room)


def lines(result: WaitsLabResult, room: int) -> Iterator[str]:
    """Yield all lines for a terminal ``room`` columns wide."""
    yield heading()
    yield from map(row_line, result.rows)
    yield from closing_lines(result, room)


def _title(row: ProgramRow) -> str:
    return f"{row.program} (look-alike)" if row.look_alike else row.program


def _reason(row: ProgramRow, tolerance: float) -> str:
    """Return why a row is not right."""
    if row.why:
        return row.why
    reasons: list[str] = []
    if row.cause_verdict is ProgramVerdict.WRONG:
        causes = ", ".join(f"{cause.kind} {cause.name}" for cause in row.causes) or "no cause"
        must = "must not" if row.look_alike else "must"
        reasons.append(f"{row.expected_cause} {must} come first: {causes}")
    if row.sign_verdict is ProgramVerdict.WRONG:
        signs = ", ".join(row.signs) or "no sign"
        must = "must not" if row.look_alike else "must"
        reasons.append(f"a lock {must} have the sign {row.expected_sign}: {signs}")
    for share in row.shares:
        if share.share is None:
            reasons.append(f"no thread {share.threads}")
            break
        if abs(share.share - share.expected) > tolerance:
            reasons.append(
                f"{share.threads} {share.state}: {percent(share.share)} instead of "
                f"{percent(share.expected)}"
            )
    return "; ".join(reasons)


def _columns(program: str, expected: str, measured: str, difference: str) -> str:
    return (
        f"{program:<{_PROGRAM_WIDTH}}{expected:<{_CAUSE_WIDTH}}{measured:<{_CAUSE_WIDTH}}"
        f"{difference:<{_SHARE_WIDTH}}"
    )
