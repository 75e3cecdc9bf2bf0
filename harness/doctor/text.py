"""Checks of a machine for a terminal, as aligned lines."""

from collections.abc import Sequence

import click

from harness.cli.terminal import printable, wrapped
from harness.doctor.checks import FOR_OTHER_COMMANDS, FOR_PROFILES, first_remedy
from harness.doctor.result import DoctorResult, FixResult, Leftover
from harness.machine_checks.check import Check, Status

COLOURS = {Status.AVAILABLE: "green", Status.LIMITED: "yellow", Status.UNAVAILABLE: "red"}
STATUS_WIDTH = max(map(len, Status))
MIN_DETAIL_WIDTH = 30
NARROW_INDENT = 4


def lines(result: DoctorResult, width: int) -> list[str]:
    """Return the checks, leftovers, sums and what to do first; click may strip the colours."""
    return [
        *_check_lines(result.checks, width),
        *_leftover_lines(result.leftovers, width),
        "",
        *_closing_lines(result.checks),
    ]


def fix_lines(result: FixResult, width: int) -> list[str]:
    """Return the commands with what they allow and how to undo them."""
    if not result.fixes:
        return ["Nothing to allow: no permission or setting limits a check."]
    rows = wrapped("Nothing was run. Each command allows more than is allowed now.", width)
    for number, fix in enumerate(result.fixes, 1):
        rows += ["", *wrapped(f"{number}. {fix.subject}: {fix.allows}; {fix.lasts}.", width, "   ")]
        rows += [f"   {printable(command)}" for command in fix.commands]
        rows += [f"   undo: {printable(command)}" for command in fix.undo]
    return rows


def _leftover_lines(leftovers: Sequence[Leftover], width: int) -> list[str]:
    if not leftovers:
        return []
    rows = ["", "Possibly left behind by other tools:"]
    for leftover in leftovers:
        text = f"{leftover.setting} {leftover.value} (usual: {leftover.usual}): {leftover.effect}"
        rows += wrapped(text, width, " " * NARROW_INDENT)
        if leftover.remedy:
            indent = " " * NARROW_INDENT
            rows += [f"{indent}{line}" for line in _wrapped(f"-> {leftover.remedy}", width - 4)]
    return rows


def _check_lines(checks: Sequence[Check], width: int) -> list[str]:
    names = max(len(check.name) for check in checks)
    indent = STATUS_WIDTH + names + 4
    narrow = width - indent < MIN_DETAIL_WIDTH
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
    """Return the text in lines; the lines of a remedy are indented behind its arrow."""
    indent = "   " if text.startswith("-> ") else ""
    return wrapped(text, max(width, MIN_DETAIL_WIDTH // 2), indent)


def _closing_lines(checks: Sequence[Check]) -> list[str]:
    sums = ", ".join(
        f"{sum(check.status is status for check in checks)} {status.value}" for status in Status
    )
    first = first_remedy(checks, FOR_PROFILES)
    if first:
        return [sums, f"Do first: {printable(first)}"]
    ready = "Ready for: stallscope profile -p PID"
    more = first_remedy(checks, FOR_OTHER_COMMANDS)
    return [sums, ready, f"For more: {printable(more)}"] if more else [sums, ready]
