"""The result of `stallscope fleet latency`: percentiles of merged histograms."""

from harness.fleet.result import MissingPart
from stallscope.documents import Amount, Count, Document, Record


class HostLatency(Record, frozen=True, kw_only=True):
    """The merged histogram of one host; values in nanoseconds."""

    host: str
    values: Count
    p50_ns: Amount
    p99_ns: Amount
    largest_ns: Amount


class FleetLatencyLog(Record, frozen=True, kw_only=True):
    """The merged histogram of the logs with one name and layout; values in nanoseconds.

    Histograms of different layouts cannot be merged exactly: each layout is a separate log.
    """

    log: str
    digits: Count  # significant decimal digits of the layout
    lowest: Count  # lowest discernible value of the layout
    hosts: Count
    recordings: Count
    values: Count
    mean_ns: Amount
    p50_ns: Amount
    p90_ns: Amount
    p99_ns: Amount
    p999_ns: Amount
    largest_ns: Amount
    slowest_hosts: tuple[HostLatency, ...]  # by p99


class FleetLatencyResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.latency/1"):
    """The logs of intervals of many hosts, in order of names."""

    directories: tuple[str, ...]
    hosts: Count
    recordings: Count
    logs: tuple[FleetLatencyLog, ...]
    missing: tuple[MissingPart, ...] = ()
