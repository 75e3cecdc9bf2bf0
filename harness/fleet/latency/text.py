"""Latency of many hosts for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns
from harness.cli.terminal import printable
from harness.fleet.latency.result import FleetLatencyResult
from harness.fleet.missing_text import extent_text, missing_lines


def lines(result: FleetLatencyResult, width: int) -> Iterator[str]:
    """Yield hosts, a table of logs, the slowest hosts of each, and what is missing."""
    yield f"{extent_text(result.hosts, result.recordings)}; merged histograms, in us"
    yield ""
    rows = [("log", "hosts", "values", "p50", "p90", "p99", "p99.9", "largest")]
    rows += [
        (
            printable(log.log),
            f"{log.hosts:,}",
            f"{log.values:,}",
            _us(log.p50_ns),
            _us(log.p90_ns),
            _us(log.p99_ns),
            _us(log.p999_ns),
            _us(log.largest_ns),
        )
        for log in result.logs
    ]
    yield from columns(rows)
    names = [log.log for log in result.logs]
    if len(set(names)) < len(names):
        yield "a log with several lines has histograms of different layouts, which are not merged"
    for log in result.logs:
        if log.slowest_hosts:
            yield ""
            yield f"{printable(log.log)}: hosts with the highest p99"
            hosts = [("host", "values", "p50", "p99", "largest")]
            hosts += [
                (
                    printable(host.host),
                    f"{host.values:,}",
                    _us(host.p50_ns),
                    _us(host.p99_ns),
                    _us(host.largest_ns),
                )
                for host in log.slowest_hosts
            ]
            yield from columns(hosts)
    yield from missing_lines(result.missing, width)


def _us(time_ns: float) -> str:
    return f"{time_ns / 1e3:,.1f}"
