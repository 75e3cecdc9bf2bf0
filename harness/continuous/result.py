"""The result of `stallscope record --continuous`, which is also the state file of its directory."""

from stallscope.documents import Amount, Count, Document, Record, Share


class DroppedSegments(Record, frozen=True, kw_only=True):
    """Segments that were not sent."""

    reason: str
    segments: Count


class SentProfiles(Record, frozen=True, kw_only=True):
    """What was sent to an OTLP receiver. ``rejected``: profiles that it did not take."""

    url: str
    segments: Count
    bytes: Count  # before compression
    retries: Count
    rejected: Count
    dropped: tuple[DroppedSegments, ...]
    last_dropped: str | None
    last_failure: str | None


class RecorderCost(Record, frozen=True, kw_only=True):
    """What the recording costs.

    ``recorder_cpu_s``: measured CPU time of stallscope, the collector and its helpers.
    ``sampling_cpu_s``: modelled CPU time of the samples in the kernel, which passes in the target's
    threads and has no counter. Shares are of one CPU, over ``elapsed_s``. ``start_cpu_s``: part of
    ``recorder_cpu_s`` before the first segment.
    """

    elapsed_s: Amount
    budget_share: Share
    used_share: Amount
    recorder_cpu_s: Amount
    sampling_cpu_s: Amount
    start_cpu_s: Amount
    memory_bytes: Count  # largest reading, without the ring buffers
    ring_bytes: Count  # of all CPUs
    disk_bytes: Count
    disk_limit_bytes: Count


class ContinuousResult(Document, frozen=True, kw_only=True, tag="stallscope.record.continuous/1"):
    """A continuous recording: its segments, cost and deliveries.

    ``covered_s``: time in which samples were taken. ``empty``: segments without a sample, which are
    not kept. ``ended_early``: segments that were ended to keep the budget. ``begin_ns`` and
    ``written_ns``: in nanoseconds since 1970.
    """

    directory: str
    begin_ns: Count
    written_ns: Count
    end: str  # "running" in the state file of a recording that has not ended
    segments: Count
    first_segment: str | None
    last_segment: str | None
    removed: Count
    empty: Count
    failed: Count
    ended_early: Count
    samples: Count
    lost: Count
    covered_s: Amount
    paused_s: Amount
    frequency_hz: Count | None  # of the last segment
    max_frequency_hz: Count
    cost: RecorderCost
    sent: SentProfiles | None
    warnings: tuple[str, ...]
