"""The hosts of a fleet recording for a terminal."""

from collections.abc import Iterator

from harness.cli.terminal import printable
from harness.fleet.record.result import FleetRecordResult, HostRecording


def host_line(row: HostRecording) -> str:
    """Return what became of a host."""
    reason = f": {printable(row.reason)}" if row.reason else ""
    return f"{row.name}: {row.status}, {row.seconds:.1f} s{reason}"


def lines(result: FleetRecordResult) -> Iterator[str]:
    """Yield the number of hosts by status, the failed ones, and the next command."""
    counts = {
        status: sum(row.status == status for row in result.hosts)
        for status in ("recorded", "kept", "failed")
    }
    yield ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    for row in result.hosts:
        if row.status == "failed":
            yield f"  {host_line(row)}"
    if counts["failed"]:
        yield "run the same command again to record the failed hosts; the others are kept"
    if counts["failed"] < len(result.hosts):
        yield f"see them: stallscope fleet top {printable(result.directory)}"
