"""The hottest functions of many hosts for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable, shorten
from harness.fleet.missing_text import extent_text, missing_lines, warning_lines
from harness.fleet.top.result import FleetTopResult

_NUMBERS = 24  # columns before the name


def lines(result: FleetTopResult, width: int) -> Iterator[str]:
    """Yield hosts and event, the table of functions, and what is missing."""
    yield (
        f"{extent_text(result.hosts, result.recordings)}, {result.samples:,} samples of "
        f"{printable(result.event)}"
    )
    yield ""
    room = max(20, width - _NUMBERS)
    rows = [("self", "total", "hosts", "function")]
    rows += [
        (
            percent(function.self_share),
            percent(function.total_share),
            f"{function.hosts:,}",
            shorten(printable(f"{function.name}  {function.module}"), room),
        )
        for function in result.functions
    ]
    yield from columns(rows)
    hidden = result.functions_total - len(result.functions)
    if hidden:
        yield f"{hidden:,} more functions: --top N shows more"
    for other in result.other_events:
        yield (
            f"not included: {other.recordings:,} recordings of {printable(other.event)} "
            "(show them with --event)"
        )
    yield from missing_lines(result.missing, width)
    yield from warning_lines(result.warnings, width)
