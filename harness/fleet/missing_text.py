"""Missing parts of a fleet's result for a terminal."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import printable, wrapped
from harness.fleet.result import MissingPart

_MAX_LINES = 20


def missing_lines(missing: Sequence[MissingPart], width: int) -> Iterator[str]:
    """Yield a line for each missing part, and a count of those beyond a limit."""
    for part in missing[:_MAX_LINES]:
        yield from wrapped(f"missing: {printable(part.part)}: {printable(part.error)}", width, "  ")
    if len(missing) > _MAX_LINES:
        yield f"missing: {len(missing) - _MAX_LINES:,} more"
