"""How checks are shown: as a document for scripts, as aligned lines for people."""

from collections.abc import Sequence

import click

from harness.cli.terminal import printable, wrapped
from harness.doctor.checks import FOR_PROFILES, FOR_THE_REST, first_remedy
from harness.machine_checks.check import Check, Status

SCHEMA = "stallscope.doctor/1"
COLOURS = {Status.AVAILABLE: "green", Status.LIMITED: "yellow", Status.UNAVAILABLE: "red"}
STATUS_WIDTH = max(map(len, Status))
NARROWEST_DETAIL = 30
NARROW_INDENT = 4


def document(checks: Sequence[Check]) -> dict[str, object]:
    """Return the document that scripts rely on."""
    return {
        "schema": SCHEMA,
        "checks": [
            {
                "name": check.name,
                "status": check.status.value,
                "detail": check.detail,
                "remedy": check.remedy,
            }
            for check in checks
        ],
    }


def lines(checks: Sequence[Check], width: int) -> list[str]:
    """Return the lines for people, wrapped to the width, with colours that click may strip."""
    names = max(len(check.name) for check in checks)
    indent = STATUS_WIDTH + names + 4
    narrow = width - indent < NARROWEST_DETAIL
    rows: list[str] = []
    for check in checks:
        status = click.style(check.status.value.ljust(STATUS_WIDTH), fg=COLOURS[check.status])
        head = f"{status}  {check.name.ljust(names)}"
        left = NARROW_INDENT if narrow else indent
        body = _wrapped(check.detail, width - left)
        if check.remedy:
            body += _wrapped(f"-> {check.remedy}", width - left)
        rows.append(head.rstrip() if narrow else f"{head}  {body.pop(0)}")
        rows += [" " * left + line for line in body]
    return rows


def _wrapped(text: str, width: int) -> list[str]:
    """Return the text in lines; those of a remedy hang behind its arrow."""
    hanging = "   " if text.startswith("-> ") else ""
    return wrapped(text, max(width, NARROWEST_DETAIL // 2), hanging)


def closing_lines(checks: Sequence[Check]) -> list[str]:
    """Return the sums, and what to do first."""
    sums = ", ".join(
        f"{sum(check.status is status for check in checks)} {status.value}" for status in Status
    )
    first = first_remedy(checks, FOR_PROFILES)
    if first:
        return [sums, f"Do first: {printable(first)}"]
    ready = "Ready for: stallscope profile -p PID"
    more = first_remedy(checks, FOR_THE_REST)
    return [sums, ready, f"For more: {printable(more)}"] if more else [sums, ready]
