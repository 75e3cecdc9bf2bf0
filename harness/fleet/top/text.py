"""The hottest functions of a fleet for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable, shorten, wrapped
from harness.fleet.top.result import FleetTopResult

LONGEST_NAME = 60


def lines(result: FleetTopResult, width: int) -> Iterator[str]:
    """Yield the number of hosts, the table, and the recordings that are left out."""
    yield f"{result.hosts:,} hosts, {result.samples:,} samples"
    yield ""
    rows = [("function", "module", "self", "total", "hosts", "hottest host", "there")]
    rows += [
        (
            shorten(function.name, LONGEST_NAME),
            function.module.rsplit("/", 1)[-1],
            percent(function.self_share),
            percent(function.total_share),
            f"{function.hosts:,}",
            function.hottest_host,
            percent(function.hottest_share),
        )
        for function in result.functions
    ]
    yield from columns(rows)
    more = result.functions_in_all - len(result.functions)
    if more > 0:
        yield f"and {more:,} more"
    for row in result.failed:
        text = f"left out: {printable(row.host)}: {printable(row.reason)}"
        yield from wrapped(text, width, "  ")
