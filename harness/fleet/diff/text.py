"""Changes of the functions of many hosts for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable, shorten
from harness.fleet.diff.result import FleetDiffResult
from harness.fleet.missing_text import extent_text, missing_lines, warning_lines

_NUMBERS = 46  # columns before the name


def lines(result: FleetDiffResult, width: int) -> Iterator[str]:
    """Yield both sets, the table of functions, and what is missing."""
    for label, side in (("before", result.before), ("after", result.after)):
        yield (
            f"{label}: {printable(side.directory)}, {extent_text(side.hosts, side.recordings)}, "
            f"{side.samples:,} samples of {printable(result.event)}"
        )
    yield f"{result.hosts_in_both:,} hosts are in both; higher and lower count them by function"
    yield ""
    room = max(20, width - _NUMBERS)
    rows = [("before", "after", "change", "higher", "lower", "function")]
    rows += [
        (
            percent(function.share_before),
            percent(function.share_after),
            f"{function.change * 100:+.1f}",
            f"{function.hosts_higher:,}",
            f"{function.hosts_lower:,}",
            shorten(printable(f"{function.name}  {function.module}"), room),
        )
        for function in result.functions
    ]
    yield from columns(rows)
    hidden = result.functions_total - len(result.functions)
    if hidden:
        yield f"{hidden:,} more functions: --top N shows more"
    for side in (result.before, result.after):
        if side.recordings_of_other_events:
            yield (
                f"not included: {side.recordings_of_other_events:,} recordings of other events in "
                f"{printable(side.directory)}"
            )
        yield from missing_lines(side.missing, width)
        yield from warning_lines(side.warnings, width)
