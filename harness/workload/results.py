"""The result of a run of the loader: its document, and its seconds while it runs."""

from collections.abc import Mapping
from typing import ClassVar

from cstates.fingerprint import Fingerprint
from stallscope.documents import (
    UNSET,
    Amount,
    Count,
    Document,
    Record,
    UnsetType,
    field,
)

STATISTICS = ("mean", "p50", "p90", "p95", "p99", "p99.9", "max")


class Percentiles(Record, frozen=True):
    """Mean and percentiles of a distribution in microseconds; None if nothing was counted.

    Documents of early versions have no mean and no p95.
    """

    mean: Amount | None = None
    p50: Amount | None = None
    p90: Amount | None = None
    p95: Amount | None = None
    p99: Amount | None = None
    p999: Amount | None = field(name="p99.9", default=None)
    largest: Amount | None = field(name="max", default=None)

    @property
    def by_name(self) -> dict[str, float | None]:
        """Return the mean and the percentiles by their names in documents."""
        values = (self.mean, self.p50, self.p90, self.p95, self.p99, self.p999, self.largest)
        return dict(zip(STATISTICS, values, strict=True))


class LoadSecond(Record, frozen=True):
    """One second of a run in progress."""

    time_s: float = field(name="t")
    requests: Count = 0
    errors: Count = 0
    p50_us: float | None = None
    p99_us: float | None = None


class LoadSettings(Record, frozen=True, kw_only=True):
    """The loader's options."""

    target: str = "?"
    connections: Count = 0
    threads: Count = 1
    pipeline: Count = 1
    mode: str | None = None
    arrivals: str | None = None
    think_us: Amount | None = None
    duration_s: Amount | None = None
    warmup_s: Amount | None = None
    requests: Count | None = None
    seed: Count | None = None
    spin_us: Amount | None = None
    cpus: tuple[Count, ...] = ()
    keys: Count | None = None
    zipf: Amount | None = None
    value_bytes: tuple[Count, ...] = ()
    read_share: Amount | None = None
    request_file: str | None = None
    check: bool | None = None
    fill: bool | None = None


class LoaderThread(Record, frozen=True, kw_only=True):
    """The time of one thread of the loader."""

    wall_s: Amount
    cpu_s: Amount
    spin_s: Amount | None = None
    run_delay_s: Amount | None = None  # runnable, but waiting for a CPU
    unanswered: Count | None = None
    unsent: Count | None = None
    connections_lost: Count | None = None


class LoadResult(Document, frozen=True, kw_only=True, tag="stallscope.load/1"):
    """A run after its warm-up. ``latency_us`` counts from the intended start of a request.

    ``service_us`` counts from sending it. ``settings``, ``recording`` and ``report`` are set only
    in what ``--json`` prints.
    """

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {"rate_asked": "rate_requested"}

    requested_rate_per_s: Amount | None = field(name="rate_requested")  # None: a closed loop
    achieved_rate_per_s: Amount | None = field(name="rate_achieved")  # None: nothing was measured
    requests: Count
    errors: Count = 0
    errors_by_kind: dict[str, Count] = field(default_factory=dict)
    nil_replies: Count | None = None
    measured_s: Amount | None = None
    latency_us: Percentiles
    service_us: Percentiles
    send_lag_us: Percentiles
    own_lag_us: Percentiles | None = None  # the loader's own share of the send lag
    connections_achieved: Count | None = None  # most that were open at the same time
    requests_per_burst: Amount | None = None  # of requests with less than 50 us between them
    replies_per_burst: Amount | None = None
    limited_by_loader: bool = False
    why: str | None = None  # the reason for this judgement
    cpu_s: Amount
    interrupted: bool = False
    warnings: tuple[str, ...] = ()
    checked: Count | None = None  # replies compared with their requests; None without --check
    lost: Count | None = None
    doubled: Count | None = None
    reordered: Count | None = None
    foreign: Count | None = None
    version: str | None = None
    started_at_s: Amount | None = None
    options: LoadSettings = field(default_factory=LoadSettings)
    threads: tuple[LoaderThread, ...] = ()
    settings: Fingerprint | UnsetType | None = UNSET
    recording: str | UnsetType = UNSET
    report: str | UnsetType | None = UNSET

    @property
    def check_counts(self) -> dict[str, int | None]:
        """Return the numbers of wrong replies that --check counted."""
        names = ("lost", "doubled", "reordered", "foreign")
        values = (self.lost, self.doubled, self.reordered, self.foreign)
        return dict(zip(names, values, strict=True))
