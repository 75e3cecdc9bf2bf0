"""The extent of a fleet's result, its missing parts and its warnings, for a terminal."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, wrapped
from harness.fleet.result import MissingPart
from stallscope.quantities import count_text

_MAX_LINES = 20


def extent_text(hosts: int, recordings: int) -> str:
    """Return what a result is made of, such as "2 hosts, 5 recordings"."""
    return f"{count_text(hosts, 'host')}, {count_text(recordings, 'recording')}"


def missing_lines(missing: Sequence[MissingPart], width: int) -> Iterator[str]:
    """Yield a line for each missing part, and a count of those beyond a limit."""
    for part in missing[:_MAX_LINES]:
        yield from wrapped(f"missing: {printable(part.part)}: {printable(part.error)}", width, "  ")
    if len(missing) > _MAX_LINES:
        yield f"missing: {len(missing) - _MAX_LINES:,} more"


def warning_lines(warnings: Sequence[str], width: int) -> Iterator[str]:
    """Yield a line for each warning, and a count of those beyond a limit."""
    for text in warnings[:_MAX_LINES]:
        yield from wrapped(f"warning: {printable(text)}", width, "  ")
    if len(warnings) > _MAX_LINES:
        yield f"warning: {len(warnings) - _MAX_LINES:,} more"
