"""A result of the diagnosis lab for the terminal: expected against found per entry."""

from collections.abc import Iterator

import click

from harness.cli.terminal import percent, printable, wrapped
from harness.labs.diagnose.entries import CONTROL, LIVE, MODELLED, NOT_SHOWN, REPLAYED
from harness.labs.diagnose.quietness import MOST_BEHIND_OTHERS
from harness.labs.diagnose.result import Calibration, DiagnoseLabResult, EntryResult, GainCheck
from harness.labs.diagnose.scoring import PROGRAM
from harness.recordings.settings_text import settings_lines

_NAME, _CAUSE, _RUNS, _GAIN = 22, 24, 8, 20
_INDENT = "  "
NOTHING = "nothing stands out"


def heading() -> str:
    """Return the first line of the table."""
    return _columns("entry", "expected", "found", "right", "gain, real of most") + "verdict"


def row_line(row: EntryResult) -> str:
    """Return the line of an entry."""
    if row.kind == NOT_SHOWN:
        return _columns(row.name, row.cause, "-", "-", "-") + f"not shown: {row.reason}"
    own = [run for run in row.runs if run.variant == PROGRAM]
    causes = list(dict.fromkeys(run.first or NOTHING for run in own if not run.why))
    names = ", ".join(causes) if causes else "no diagnosis"
    if row.is_unknown:
        text = click.style("disturbed by other load", fg="yellow")
    elif row.is_right:
        text = click.style("right", fg="green")
    else:
        text = click.style("wrong", fg="red")
    if row.disturbed:
        text += f", {row.disturbed} disturbed ({row.disturbed_right} of them right)"
    if row.blamed:
        text += f", look-alike blamed in {row.blamed} of {row.look_alikes}"
    marks = [row.kind] if row.kind == REPLAYED else [MODELLED] if row.source == MODELLED else []
    return _columns(
        row.name,
        row.cause or NOTHING,
        printable(names),
        f"{row.right}/{row.planned}",
        _gain(row.gain),
    ) + ", ".join([text, *marks])


def _gain(gain: GainCheck | None) -> str:
    if gain is None:
        return "-"
    predicted = "no bound" if gain.predicted is None else f"{gain.predicted:.1f}"
    return f"{'-' if gain.real is None else f'{gain.real:.1f}'} of {predicted}"


def closing_lines(result: DiagnoseLabResult, room: int) -> Iterator[str]:
    """Yield what follows the table: sums, calibration, gains, failures and settings."""
    yield ""
    live = result.of_kind(LIVE)
    for title, rows in (
        ("live", live),
        ("replayed, no proof on hardware", result.of_kind(REPLAYED)),
        ("controls", result.of_kind(CONTROL)),
    ):
        planned = sum(row.planned for row in rows)
        if planned:
            right = sum(row.right for row in rows)
            yield f"{title}: {right} of {planned} runs right, {len(rows)} entries"
    disturbed = sum(row.disturbed for row in live)
    if disturbed:
        right = sum(row.disturbed_right for row in live)
        yield (
            f"disturbed by other load, not counted above: {disturbed} runs, {right} of them right; "
            f"their threads were queued behind other processes for at least "
            f"{percent(MOST_BEHIND_OTHERS)} of their time"
        )
    blamed = sum(row.blamed for row in live)
    yield f"look-alikes blamed: {blamed} of {sum(row.look_alikes for row in live)} runs"
    yield from _gain_lines(live)
    yield from _score_lines("confidence", result.calibration)
    if disturbed:
        yield from _score_lines("with disturbed runs", result.calibration_of_all)
    for row in result.entries:
        for why in dict.fromkeys(run.why for run in row.runs if run.why):
            yield from wrapped(f"{row.name}: {printable(why)}", room, _INDENT)
    yield from settings_lines(result.settings, room)


def _score_lines(title: str, score: Calibration | None) -> Iterator[str]:
    if score is not None:
        yield (
            f"{title}: Brier score {score.brier:.3f} of {score.findings} findings "
            f"({score.true} true); the best constant confidence has {score.constant_brier:.3f}"
        )


def _gain_lines(rows: tuple[EntryResult, ...]) -> Iterator[str]:
    checks = [row.gain for row in rows if row.gain is not None and row.gain.real is not None]
    if not checks:
        return
    bounds, halves = sum(bool(row.is_bound) for row in checks), sum(bool(r.is_half) for r in checks)
    yield (
        f"largest gain: an upper bound for {bounds} of {len(checks)} entries; the real gain is at "
        f"least half of it for {halves} ({percent(halves / len(checks))})"
    )


def _columns(name: str, expected: str, first: str, runs: str, gain: str) -> str:
    return f"{name:<{_NAME}}{expected:<{_CAUSE}}{first:<{_CAUSE}} {runs:<{_RUNS}}{gain:<{_GAIN}}"


def lines(result: DiagnoseLabResult, room: int) -> Iterator[str]:
    """Yield all lines for a terminal ``room`` columns wide."""
    yield heading()
    yield from map(row_line, result.entries)
    yield from closing_lines(result, room)
