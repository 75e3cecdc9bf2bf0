"""Types of the disk engine: targets, points to measure, events and results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ioprobe.target.simulated import SimulatedDisk
from stallscope.documents import Amount, Record, field

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99")


class EngineTarget(Protocol):
    """The properties of a target that the engine uses; see ``ioprobe.target.target.Target``."""

    @property
    def path(self) -> str:
        """Return the path for messages; without a descriptor the engine opens it for direct I/O."""

    @property
    def descriptor(self) -> int | None:
        """Return an open descriptor; its flags decide between direct and cached I/O."""

    @property
    def offset_bytes(self) -> int:
        """Return the start of the span."""

    @property
    def span_bytes(self) -> int:
        """Return the size of the region that requests are spread over."""

    @property
    def writable(self) -> bool:
        """Return whether points may write; the engine writes to no other target."""

    @property
    def simulated(self) -> SimulatedDisk | None:
        """Return the simulated disk, if the target is one."""


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement: requests of one size and mix, at one depth or rate, for some time."""

    id: str
    depth: int = 1
    block_bytes: int = 4096
    pattern: str = "random"  # or "sequential"
    read_share: float = 1.0
    rate_per_s: float | None = None  # open loop: latency counts from the time a request is due
    warmup_s: float = 0.0
    duration_s: float = 1.0
    most_requests: int | None = None  # request limit after the warm-up
    engine: str = "uring"  # or "preadv2": `depth` threads with one request at a time each
    batch: int = 1  # completions to wait for before submitting again
    registered: bool = True  # registered buffers and file
    seed: int = 1


class Latency(Record, frozen=True):
    """Latencies in ns: exact minimum, mean and maximum; percentiles to three digits."""

    min: Amount
    mean: Amount
    max: Amount
    p50: Amount
    p90: Amount
    p99: Amount
    p999: Amount = field(name="p99.9")
    p9999: Amount = field(name="p99.99")


class LatencyParts(Record, frozen=True):
    """Mean time of a request in ns, split by where it is spent; None if a part is not measured.

    ``own_cpu`` is an upper bound: a delay of the engine's thread may hold up all requests in
    flight.
    """

    queued: Amount | None = None
    submitting: Amount | None = None
    device: Amount | None = None
    own_cpu: Amount | None = None


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """The engine's checks of a measurement; a value is None if its check does not apply."""

    littles_law_error: float | None  # relative error of the mean number in flight
    cpu_delay_share: float | None  # share of time that the engine's thread was runnable, not run
    ok: bool
    failed: tuple[str, ...]  # reasons not to trust the point


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """How the engine runs; each ``*_missing`` is the reason, or None if the feature is used."""

    source: str  # "measured" or "modelled"
    io_uring_missing: str | None
    real_time_missing: str | None
    direct: bool


@dataclass(frozen=True, slots=True)
class PointProgress:
    """Progress of the current point."""

    id: str
    elapsed_s: float
    requests: int


@dataclass(frozen=True, slots=True)
class PointResult:
    """Result of one point. A missing value is None, never zero."""

    point: Point
    source: str  # "measured" or "modelled"
    engine: str  # the engine in use: "uring", "preadv2" or "simulated"
    real_time: bool
    requests: int
    reads: int
    writes: int
    errors: Mapping[str, int]  # count by errno name
    bytes_read: int
    bytes_written: int
    seconds: float
    iops: float | None  # None if the point was stopped before its window began
    latency_ns: Latency | None  # None if no request completed
    read_latency_ns: Latency | None
    write_latency_ns: Latency | None
    histogram: tuple[tuple[int, int, int], ...]  # lower ns, upper ns, count
    parts_ns: LatencyParts
    cpu_s: float | None  # user and system time, including the kernel's workers
    self_check: SelfCheck
    requested_rate_per_s: float | None
    series: tuple[float, ...]  # requests per second in each tenth of a second
    punts: int | None  # submissions passed to worker threads
    notes: tuple[str, ...]
    interrupted: bool

    @property
    def ok(self) -> bool:
        """Return whether the point passed its checks."""
        return self.self_check.ok

    @property
    def bytes_per_s(self) -> float | None:
        """Return the bandwidth of both directions; None if the window has no length."""
        return (self.bytes_read + self.bytes_written) / self.seconds if self.seconds else None


@dataclass(frozen=True, slots=True)
class EngineEnd:
    """The last event; if ``interrupted``, points without a result were not started."""

    interrupted: bool


EngineEvent = EngineFacts | PointProgress | PointResult | EngineEnd
