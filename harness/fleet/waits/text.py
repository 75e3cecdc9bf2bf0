"""Wall time of the threads of many hosts for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable, shorten
from harness.fleet.missing_text import extent_text, missing_lines
from harness.fleet.waits.result import FleetWaitsResult

_STATES = 3
_NUMBERS = 70  # columns beside the name


def lines(result: FleetWaitsResult, width: int) -> Iterator[str]:
    """Yield hosts, the table of groups, and what is missing."""
    ranking = f", by time in {printable(result.state)}" if result.state else ""
    yield (
        f"{extent_text(result.hosts, result.recordings)}, "
        f"{result.time_ns / 1e9:,.1f} s of threads{ranking}"
    )
    yield ""
    room = max(20, width - _NUMBERS)
    rows = [("group", "hosts", "threads", "time", "longest states")]
    rows += [
        (
            shorten(printable(f"{group.process} {group.group}"), room),
            f"{group.hosts:,}",
            f"{group.threads:,}",
            f"{group.time_ns / 1e9:,.1f} s",
            ", ".join(
                f"{printable(state.state)} {percent(state.share)}"
                for state in group.states[:_STATES]
            ),
        )
        for group in result.groups
    ]
    yield from columns(rows)
    hidden = result.groups_total - len(result.groups)
    if hidden:
        yield f"{hidden:,} more groups: --top N shows more"
    yield from missing_lines(result.missing, width)
