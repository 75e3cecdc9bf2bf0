"""Expected against found, for people and for scripts."""

from collections.abc import Sequence

import click

from cstates.fingerprint import Fingerprint
from harness.cli.terminal import printable, wrapped
from harness.labs.kernels.session import Row, Verdict

SCHEMA = "stallscope.lab.kernels/1"
_KERNEL, _ANSWER, _KIND = 20, 36, 12
_COLOURS = {
    Verdict.RIGHT: "green",
    Verdict.WRONG: "red",
    Verdict.BEYOND: "yellow",
    Verdict.FAILED: "red",
}
_ALWAYS_TOLD = (Verdict.RIGHT, Verdict.WRONG)
_INDENT = "  "
LEAST_TEXT = 30


def heading() -> str:
    """Return the table's first line."""
    return f"{'kernel':<{_KERNEL}}{'expected':<{_ANSWER}}{'found':<{_ANSWER}}{'kind':<{_KIND}}"


def line(row: Row) -> str:
    """Return one row; a kernel that is held out has an asterisk."""
    name = row.kernel.name + ("*" if row.kernel.held_out else "")
    found = printable(row.found) if row.found is not None else "-"
    text = f"{name:<{_KERNEL}}{row.kernel.expected:<{_ANSWER}}{found:<{_ANSWER}}{row.kind:<{_KIND}}"
    return text + click.style(str(row.verdict), fg=_COLOURS[row.verdict])


def notes(rows: Sequence[Row], width: int) -> list[str]:
    """Return what to add below: why rows are not right, and how many are."""
    lines = []
    for row in rows:
        if row.verdict is not Verdict.RIGHT:
            text = f"{row.kernel.name}: {printable(row.why)}"
            lines += wrapped(text, max(LEAST_TEXT, width), _INDENT)
    numbers = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    counts = [f"{n} {verdict}" for verdict, n in numbers.items() if n or verdict in _ALWAYS_TOLD]
    if any(row.kernel.held_out for row in rows):
        lines.append("* held out: no constant of the modelled source was found with it")
    return ["", *lines, ", ".join(counts)]


def document(rows: Sequence[Row], settings: Fingerprint | None) -> dict[str, object]:
    """Return the JSON document, with what the machine was set to meanwhile, if that is known."""
    return {
        "schema": SCHEMA,
        "settings": settings and settings.document(),
        "rows": [
            {
                "kernel": row.kernel.name,
                "expected": row.kernel.expected,
                "found": row.found,
                "kind": str(row.kind),
                "source": row.source,
                "verdict": str(row.verdict),
                "why": row.why,
                "held_out": row.kernel.held_out,
            }
            for row in rows
        ],
    }
