"""A probe's document as text and page show it, read again: strangers may have written it."""

from dataclasses import dataclass

from stallscope.errors import RecordingError
from stallscope.json_fields import LARGEST_COUNT, REMEDY, Fields
from stallscope.quantities import size_text

NAMES = ("min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max")
# So many requests it takes until one of them is beyond the percentile.
LEAST_REQUESTS = {"p90": 10, "p99": 100, "p99.9": 1000, "p99.99": 10_000}
MOST_BUCKETS = 1 << 20


@dataclass(frozen=True, slots=True)
class ReadsShown:
    """Reads of one way; latencies in ns by NAMES, those that too few requests tell left out."""

    name: str  # "direct" or "page cache"
    requests: int
    iops: float | None
    bytes_per_s: float | None
    latencies: dict[str, float]
    histogram: tuple[tuple[int, int, int], ...]
    series: tuple[float, ...]  # requests a second in each tenth of a second
    parts: dict[str, float]
    errors: dict[str, int]
    littles_law_error: float | None
    cpu_delay_share: float | None
    ok: bool
    failed: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeShown:
    """All that is shown of a probe."""

    path: str
    kind: str
    source: str
    asked: str  # "4 KiB random reads"
    reads: tuple[ReadsShown, ...]
    missing: tuple[str, ...]  # what was not to be had, and why
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    complete: bool

    @property
    def title(self) -> str:
        """Return what was measured, in a line."""
        return f"{self.path} ({self.kind}): {self.asked}, one at a time, {self.source}"


def probe_shown(fields: Fields) -> ProbeShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    facts = fields.fields("facts")
    reads = [_reads(fields.text("cache"), fields)]
    if fields.values.get("page_cache") is not None:
        reads.append(_reads("page cache", fields.fields("page_cache")))
    size = size_text(fields.count("block_bytes"))
    return ProbeShown(
        path=fields.text("path"),
        kind=fields.text("kind"),
        source=fields.text("source"),
        asked=f"{size} {fields.text('pattern')} reads",
        reads=tuple(reads),
        missing=tuple(_missing(fields)),
        facts=tuple((label, facts.text(label)) for label in facts.values),
        warnings=fields.texts("warnings"),
        complete=fields.boolean("complete"),
    )


def _missing(fields: Fields) -> list[str]:
    labels = {
        "page_cache_missing": "page cache not measured",
        "real_time_missing": "no real-time class",
        "io_uring_missing": "no io_uring, one request at a time by preadv2",
    }
    return [
        f"{label}: {fields.text(key)}"
        for key, label in labels.items()
        if fields.values.get(key) is not None
    ]


def _reads(name: str, fields: Fields) -> ReadsShown:
    check, latency = fields.fields("self_check"), fields.fields("latency_ns")
    parts, errors = fields.fields("parts_ns"), fields.fields("errors")
    requests = fields.count("requests")
    told = {
        each: latency.maybe_number(each)
        for each in NAMES
        if requests >= LEAST_REQUESTS.get(each, 1)
    }
    part_values = {each: parts.maybe_number(each) for each in parts.values}
    return ReadsShown(
        name=name,
        requests=requests,
        iops=fields.maybe_number("iops"),
        bytes_per_s=fields.maybe_number("bytes_per_s"),
        latencies={each: value for each, value in told.items() if value is not None},
        histogram=_histogram(fields),
        series=fields.numbers("series"),
        parts={each: value for each, value in part_values.items() if value is not None},
        errors={each: errors.count(each) for each in errors.values},
        littles_law_error=check.maybe_number("littles_law_error"),
        cpu_delay_share=check.maybe_number("cpu_delay_share"),
        ok=check.boolean("ok"),
        failed=check.texts("failed"),
        notes=fields.texts("notes"),
    )


def _histogram(fields: Fields) -> tuple[tuple[int, int, int], ...]:
    rows = fields.values.get("histogram", [])
    wrong = RecordingError(f"{fields.where}: histogram should be [low, high, count] rising", REMEDY)
    if not isinstance(rows, list) or len(rows) > MOST_BUCKETS:
        raise wrong
    found: list[tuple[int, int, int]] = []
    before = -1
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not all(type(v) is int for v in row):
            raise wrong
        low, high, count = row
        if not (before < low <= high <= LARGEST_COUNT and 0 <= count <= LARGEST_COUNT):
            raise wrong
        before = high
        found.append((low, high, count))
    return tuple(found)
