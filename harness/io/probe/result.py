"""The result of `stallscope io probe`: direct reads and reads through the page cache."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.io.probe.options import ProbeOptions
from harness.recordings.results import RecordedResult
from ioprobe.engine.engine import EngineFacts, LatencyParts, PointResult
from ioprobe.engine.points import Latency
from stallscope.documents import Amount, Count, Natural, Number, Record, field
from stallscope.quantities import size_text

MAX_BUCKETS = 1 << 20
LatencyBucket = tuple[Count, Count, Count]  # lower bound in ns, upper bound in ns, count


class EngineCheck(Record, frozen=True, kw_only=True):
    """The engine's checks of a measurement; a value is None if its check does not apply."""

    littles_law_error: Number | None = None
    cpu_delay_share: Amount | None = None
    ok: bool
    failed: tuple[str, ...]


class ReadResult(Record, frozen=True, kw_only=True):
    """Reads by one path; a value is None if it could not be measured."""

    requests: Count
    seconds: Amount = 0.0
    iops: Amount | None = None
    bytes_per_s: Amount | None = None
    latency_ns: Latency | None = None
    histogram: tuple[LatencyBucket, ...] = ()
    series: tuple[Amount, ...] = ()  # requests per second in each tenth of a second
    parts_ns: LatencyParts = LatencyParts()
    errors: dict[str, Count] = field(default_factory=dict)
    engine: str = ""
    real_time: bool = False
    punts: Count | None = None
    cpu_s: Amount | None = None
    notes: tuple[str, ...] = ()
    self_check: EngineCheck

    def __post_init__(self) -> None:
        """Raise ValueError if the histogram's buckets do not rise, or all are empty."""
        _check_histogram(self.histogram)


class ProbeResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.probe/1"):
    """Latency of one read at a time.

    The fields from ``requests`` to ``self_check`` are those of a ReadResult: of direct reads, or of
    cached reads if there are no direct ones; ``cache`` names the kind.
    """

    path: str
    kind: str  # of the target
    cache: Literal["direct", "page cache"]
    block_bytes: Natural
    pattern: str
    requests: Count
    seconds: Amount = 0.0
    iops: Amount | None = None
    bytes_per_s: Amount | None = None
    latency_ns: Latency | None = None
    histogram: tuple[LatencyBucket, ...] = ()
    series: tuple[Amount, ...] = ()
    parts_ns: LatencyParts = LatencyParts()
    errors: dict[str, Count] = field(default_factory=dict)
    engine: str = ""
    real_time: bool = False
    punts: Count | None = None
    cpu_s: Amount | None = None
    notes: tuple[str, ...] = ()
    self_check: EngineCheck
    page_cache: ReadResult | None = None
    page_cache_missing: str | None = None
    real_time_missing: str | None = None
    io_uring_missing: str | None = None
    facts: dict[str, str]  # label to text

    def __post_init__(self) -> None:
        """Raise ValueError if the histogram's buckets do not rise, or all are empty."""
        _check_histogram(self.histogram)

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"Probe of {self.path}"

    @property
    def reads_text(self) -> str:
        """Return the reads in words, such as "4 KiB random reads"."""
        return f"{size_text(self.block_bytes)} {self.pattern} reads"

    @property
    def reads(self) -> dict[str, ReadResult]:
        """Return the results by name: "direct" and "page cache"."""
        first = ReadResult(**{name: getattr(self, name) for name in ReadResult.__struct_fields__})
        results = {str(self.cache): first}
        if self.page_cache is not None:
            results["page cache"] = self.page_cache
        return results

    @property
    def missing(self) -> Iterator[str]:
        """Return texts on features that were not available, with reasons."""
        reasons = {
            "page cache not measured": self.page_cache_missing,
            "no real-time class": self.real_time_missing,
            "no io_uring, so one request at a time by preadv2": self.io_uring_missing,
        }
        return (f"{label}: {reason}" for label, reason in reasons.items() if reason is not None)


def _check_histogram(histogram: Sequence[tuple[int, int, int]]) -> None:
    if len(histogram) > MAX_BUCKETS:
        raise ValueError(f"the histogram has more than {MAX_BUCKETS:,} buckets")
    previous_high = -1
    for low, high, _ in histogram:
        if not previous_high < low <= high:
            raise ValueError("the histogram should be [low, high, count] in rising order")
        previous_high = high
    if histogram and not any(count for _, _, count in histogram):
        raise ValueError("the histogram should have a bucket that is not empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeMeasurement:
    """Point results of a probe; None for a path that was not measured."""

    kind: str  # of the target
    facts: Mapping[str, str]
    engine_facts: EngineFacts
    direct: PointResult | None
    cached: PointResult | None
    cached_missing: str | None
    warnings: tuple[str, ...]
    complete: bool

    @property
    def first(self) -> PointResult:
        """Return the direct reads; the cached ones if there are no direct reads."""
        first = self.direct or self.cached
        assert first is not None
        return first


def probe_result(options: ProbeOptions, measurement: ProbeMeasurement) -> ProbeResult:
    """Return the result of a probe."""
    cached = measurement.cached if measurement.direct else None
    first = measurement.first
    return ProbeResult(
        source="modelled" if first.source == "modelled" else "measured",
        complete=measurement.complete,
        warnings=measurement.warnings,
        path=options.path,
        kind=measurement.kind,
        cache="direct" if measurement.direct else "page cache",
        block_bytes=options.block_bytes,
        pattern="sequential" if options.sequential else "random",
        **_read_values(first),
        page_cache=None if cached is None else ReadResult(**_read_values(cached)),
        page_cache_missing=measurement.cached_missing,
        real_time_missing=measurement.engine_facts.real_time_missing,
        io_uring_missing=measurement.engine_facts.io_uring_missing,
        facts=dict(measurement.facts),
    )


def _read_values(result: PointResult) -> dict[str, Any]:
    """Return the fields of a ReadResult."""
    check = result.self_check
    return {
        "requests": result.requests,
        "seconds": result.seconds,
        "iops": result.iops,
        "bytes_per_s": result.bytes_per_s,
        "latency_ns": result.latency_ns,
        "histogram": result.histogram,
        "series": result.series,
        "parts_ns": result.parts_ns,
        "errors": dict(result.errors),
        "engine": result.engine,
        "real_time": result.real_time,
        "punts": result.punts,
        "cpu_s": result.cpu_s,
        "notes": result.notes,
        "self_check": EngineCheck(
            littles_law_error=check.littles_law_error,
            cpu_delay_share=check.cpu_delay_share,
            ok=check.ok,
            failed=check.failed,
        ),
    }
