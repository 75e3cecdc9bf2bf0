"""The result of `stallscope import`: what a file of another tool contains."""

from stallscope.documents import Amount, Count, Document, Number, Record, Share


class ImportedFunction(Record, frozen=True, kw_only=True):
    """A function and its shares of the weight: without and with the functions that it calls."""

    name: str
    module: str
    self_share: Share
    total_share: Share


class ImportedStacks(Record, frozen=True, kw_only=True):
    """Sampled stacks; ``value`` is the sum of all weights in ``unit``.

    ``has_times``: whether the file states the time of each sample. ``duration_s``: None: not known.
    """

    event: str
    unit: str
    samples: Count
    value: Count
    threads: Count
    has_times: bool
    duration_s: Amount | None
    functions: tuple[ImportedFunction, ...]  # the hottest ones


class ImportedCount(Record, frozen=True, kw_only=True):
    """A count of an event; None if it was not counted, with the reason.

    ``running_share``: part of the time in which the event was counted; None: not stated.
    """

    where: str
    event: str
    count: Number | None
    running_share: Share | None
    reason: str | None


class ImportedBenchmark(Record, frozen=True, kw_only=True):
    """The values of a benchmark in one unit."""

    name: str
    unit: str
    n: Count
    median: Number | None  # None: not a finite number


class ImportedLatency(Record, frozen=True, kw_only=True):
    """Latencies of requests in nanoseconds; None: not stated in the file."""

    name: str
    requests: Count
    rate_per_s: Amount | None
    mean_ns: Amount | None
    p50_ns: Amount | None
    p90_ns: Amount | None
    p99_ns: Amount | None
    p999_ns: Amount | None
    max_ns: Amount | None


class ImportResult(Document, frozen=True, kw_only=True, tag="stallscope.import/1"):
    """The content of a file; one of the four parts is set, according to the format."""

    file: str
    format: str
    stacks: ImportedStacks | None = None
    counts: tuple[ImportedCount, ...] = ()
    benchmarks: tuple[ImportedBenchmark, ...] = ()
    latencies: tuple[ImportedLatency, ...] = ()
    commands: tuple[str, ...]  # that show more
    warnings: tuple[str, ...] = ()
