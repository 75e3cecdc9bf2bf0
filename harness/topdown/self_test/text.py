"""The text of a self-test: verdicts per kind, broken events, and each program's bottleneck."""

from collections.abc import Iterator

import click

from harness.cli.terminal import wrapped
from topdown.slots.self_test.result import SelfTestResult


def lines(result: SelfTestResult, columns: int) -> Iterator[str]:
    """Yield the lines of a self-test."""
    counts = ", ".join(f"{number} {verdict}" for verdict, number in result.verdicts.items())
    yield click.style(f"{result.title}: {counts}", bold=True)
    for name, event in result.events.items():
        if event.verdict == "broken":
            yield from wrapped(f"broken: {name}: {event.reason}", columns, "  ")
    for program in result.kernels:
        bottleneck = program.bottleneck or "none"
        yield f"{program.kernel:<22} expected {program.expected}, measured {bottleneck}"
