"""The callers of a function for the terminal."""

from collections.abc import Iterator

import click

from harness.cli.terminal import percent, printable, shorten
from harness.profile.callers import CallersResult, RelatedFunction


def callers_lines(result: CallersResult, width: int) -> Iterator[str]:
    """Yield a heading, the callers, callees and source lines."""
    name = click.style(printable(result.function), bold=True)
    shares = f"self {percent(result.self_share)}, total {percent(result.total_share)}"
    yield f"{name} ({shares}) in {printable(result.module)}"
    yield from _table("callers", result.callers, width)
    yield from _table("callees", result.callees, width)
    if result.lines:
        yield ""
        yield click.style(f"{'samples':>7}  line", bold=True)
        for line in result.lines:
            yield f"{line.samples:>7,}  {shorten(printable(line.line), width - 9)}"
    if result.similar:
        yield ""
        names = ", ".join(printable(name) for name in result.similar)
        yield f"other functions with this name: {names}"


def _table(heading: str, rows: tuple[RelatedFunction, ...], width: int) -> Iterator[str]:
    yield ""
    yield click.style(f"{'share':>7}  {heading}", bold=True)
    for row in rows:
        module = f"  {printable(row.module)}" if row.module else ""
        yield f"{percent(row.share):>7}  {shorten(printable(row.name) + module, width - 9)}"
    if not rows:
        yield f"{'':>7}  none"
