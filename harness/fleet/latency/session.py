"""Latency of many hosts: histograms are merged; percentiles are never averaged."""

import binascii
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.fleet.dataset.parts import Part, read_table
from harness.fleet.latency.result import FleetLatencyLog, FleetLatencyResult, HostLatency
from harness.fleet.query import QueryOptions, query
from stallscope.errors import RecordingError, UsageError
from stallscope.histograms import Histogram, decode


@dataclass(frozen=True, slots=True)
class HostHistogram:
    """The histogram of a log in a recording."""

    host: str
    log: str
    histogram: Histogram


def fleet_latency(options: QueryOptions, *, top: int = 5, log: str = "") -> FleetLatencyResult:
    """Return percentiles over all hosts by log, with the ``top`` hosts of the highest p99.

    Raises RecordingError if there is no log, UsageError if none has the name ``log``.
    """
    values = query(options, "latency", part_histograms)
    rows = [row for part in values.values for row in part]
    names = sorted({row.log for row in rows})
    if log and log not in names:
        raise UsageError(f"no recording has the log {log}", f"the logs are: {', '.join(names)}")
    layouts: dict[tuple[str, int, int], list[HostHistogram]] = {}
    for row in rows:
        if not log or row.log == log:
            geometry = row.histogram.geometry
            layouts.setdefault((row.log, geometry.digits, geometry.lowest), []).append(row)
    return FleetLatencyResult(
        directories=tuple(str(directory) for directory in options.directories),
        hosts=values.hosts,
        recordings=len(values.values),
        logs=tuple(_log(layouts[key], top) for key in sorted(layouts)),
        missing=values.missing,
    )


def part_histograms(part: Part) -> tuple[HostHistogram, ...]:
    """Return the histograms of a part. Raises RecordingError if one is damaged."""
    frame = read_table(part, "latency")
    histograms = []
    for log, text in zip(frame["log"].astype(str), frame["histogram"], strict=True):
        try:
            histogram = decode(text)
        except (ValueError, TypeError, binascii.Error, zlib.error, struct.error) as error:
            raise RecordingError(
                f"the histogram of {log} is damaged: {error}",
                f"remove it: it is built again from the recording of {part.host}",
            ) from error
        if histogram.total:
            histograms.append(HostHistogram(part.host, log, histogram))
    return tuple(histograms)


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """Return the sum of one or more histograms of one layout."""
    rows = iter(histograms)
    total = next(rows)
    for histogram in rows:
        total = total.plus(histogram)
    return total


def _log(rows: Sequence[HostHistogram], top: int) -> FleetLatencyLog:
    by_host: dict[str, list[Histogram]] = {}
    for row in rows:
        by_host.setdefault(row.host, []).append(row.histogram)
    hosts = {host: merged(histograms) for host, histograms in by_host.items()}
    total = merged(hosts.values())
    latencies = [_host(host, histogram) for host, histogram in hosts.items()]
    latencies.sort(key=lambda latency: (-latency.p99_ns, latency.host))
    return FleetLatencyLog(
        log=rows[0].log,
        digits=total.geometry.digits,
        lowest=total.geometry.lowest,
        hosts=len(hosts),
        recordings=len(rows),
        values=total.total,
        mean_ns=total.mean() or 0.0,
        p50_ns=_percentile(total, 50),
        p90_ns=_percentile(total, 90),
        p99_ns=_percentile(total, 99),
        p999_ns=_percentile(total, 99.9),
        largest_ns=_percentile(total, 100),
        slowest_hosts=tuple(latencies[:top]),
    )


def _host(host: str, histogram: Histogram) -> HostLatency:
    return HostLatency(
        host=host,
        values=histogram.total,
        p50_ns=_percentile(histogram, 50),
        p99_ns=_percentile(histogram, 99),
        largest_ns=_percentile(histogram, 100),
    )


def _percentile(histogram: Histogram, percent: float) -> float:
    value = histogram.percentile(percent)
    assert value is not None  # part_histograms leaves out empty histograms
    return value
