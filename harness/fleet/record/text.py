"""The hosts of a run of `stallscope fleet record` for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import printable
from harness.fleet.record.result import FleetRecordResult


def lines(result: FleetRecordResult, _width: int) -> Iterator[str]:
    """Yield a table of hosts, and the numbers of recorded and failed ones."""
    rows = [("host", "status", "samples", "KiB", "error")]
    rows += [
        (
            printable(host.host),
            host.status,
            "" if host.samples is None else f"{host.samples:,}",
            "" if host.bytes is None else f"{host.bytes / 1024:,.0f}",
            printable(host.error),
        )
        for host in result.hosts
    ]
    yield from columns(rows)
    yield ""
    good = len(result.hosts) - result.failed
    yield f"{good:,} of {len(result.hosts):,} hosts recorded, in {printable(result.directory)}"
    if result.failed:
        yield "run the command again to record the failed hosts only"
