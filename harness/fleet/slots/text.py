"""Pipeline slots of many hosts for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import percent, printable
from harness.fleet.missing_text import extent_text, missing_lines
from harness.fleet.slots.result import FleetSlotsResult


def lines(result: FleetSlotsResult, width: int) -> Iterator[str]:
    """Yield hosts, a table for each type of CPU, and what is missing."""
    yield f"{extent_text(result.hosts, result.recordings)}; shares of pipeline slots"
    for cpu in result.cpus:
        yield ""
        yield (
            f"{printable(cpu.cpu)} ({printable(cpu.kind)}): "
            f"{extent_text(cpu.hosts, cpu.recordings)}"
        )
        rows = [("node", "share", "hosts", "lowest", "on", "highest", "on")]
        rows += [
            (
                printable(node.node),
                "n/a" if node.share is None else percent(node.share),
                f"{node.hosts:,}",
                percent(node.lowest),
                printable(node.lowest_host),
                percent(node.highest),
                printable(node.highest_host),
            )
            for node in cpu.nodes
        ]
        yield from columns(rows)
        if cpu.recordings_without_cycles:
            yield (
                f"{cpu.recordings_without_cycles:,} recordings without cycles are not in the share"
            )
    yield from missing_lines(result.missing, width)
