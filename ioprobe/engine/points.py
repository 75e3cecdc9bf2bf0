"""What the disk engine is asked and answers: targets, points, and results with their doubts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from msgspec import to_builtins

from ioprobe.target.simulated import Simulated
from stallscope.documents import Record, field

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99")


class Measurable(Protocol):
    """What the engine must know of a target; ``ioprobe.target.target.Target`` is one."""

    @property
    def path(self) -> str:
        """Return the path, for messages; opened for direct I/O where there is no descriptor."""

    @property
    def descriptor(self) -> int | None:
        """Return a descriptor, open as it is to be used: its flags decide direct or cached."""

    @property
    def offset_bytes(self) -> int:
        """Return where the span begins."""

    @property
    def span_bytes(self) -> int:
        """Return how many bytes requests are spread over."""

    @property
    def writable(self) -> bool:
        """Return whether points may write: nothing is written to a target that is not."""

    @property
    def simulated(self) -> Simulated | None:
        """Return the device in virtual time that stands for the target, if any."""


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to measure: requests of one size and mix at one depth or rate, for a time."""

    id: str
    depth: int = 1
    block_bytes: int = 4096
    pattern: str = "random"  # or "sequential"
    read_share: float = 1.0
    rate_per_s: float | None = None  # an open loop, latency from when requests were due
    warmup_s: float = 0.0
    duration_s: float = 1.0
    most_requests: int | None = None  # ends the point, after the warm-up
    engine: str = "uring"  # or "preadv2": one request at a time in each of `depth` threads
    batch: int = 1  # completions waited for before requests are submitted again
    registered: bool = True  # buffers and file
    seed: int = 1


class Latency(Record, frozen=True):
    """Latencies in ns: exact minimum, mean and maximum, percentiles to three digits."""

    min: float
    mean: float
    max: float
    p50: float
    p90: float
    p99: float
    p999: float = field(name="p99.9")
    p9999: float = field(name="p99.99")

    def document(self) -> dict[str, float]:
        """Return the values by their JSON names, for verbs without a typed result."""
        values: dict[str, float] = to_builtins(self)
        return values


@dataclass(frozen=True, slots=True)
class Parts:
    """Where a request's mean time went, in ns; None where that cannot be told.

    ``own_cpu`` is the most it can be: a delay of our thread may have kept all in flight waiting.
    """

    queued: float | None
    submitting: float | None
    device: float | None
    own_cpu: float | None


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What the engine found of itself; None where a check does not apply or cannot be made."""

    littles_law_error: float | None  # of the mean number in flight against the depth
    cpu_delay_share: float | None  # of the time, our thread was ready to run and did not
    ok: bool
    failed: tuple[str, ...]  # why the point is not to be trusted, in words


@dataclass(frozen=True, slots=True)
class Begun:
    """The engine's facts: why something it prefers is not to be had; None where it is."""

    source: str  # "measured" or "modelled"
    no_io_uring: str | None
    no_real_time: str | None
    direct: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a point is."""

    id: str
    elapsed_s: float
    requests: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What one point came to. Missing is None, never zero."""

    point: Point
    source: str  # "measured" or "modelled"
    engine: str  # "uring", "preadv2" or "simulated": what was used in the end
    real_time: bool
    requests: int
    reads: int
    writes: int
    errors: Mapping[str, int]  # by the errno's name
    bytes_read: int
    bytes_written: int
    seconds: float
    iops: float | None  # None: it was stopped before its window began
    latency_ns: Latency | None  # None: no request was done
    read_latency_ns: Latency | None
    write_latency_ns: Latency | None
    histogram: tuple[tuple[int, int, int], ...]  # least ns, greatest ns, count
    parts_ns: Parts
    cpu_s: float | None  # the engine's, user and system, with the kernel's workers for it
    self_check: SelfCheck
    rate_asked: float | None
    series: tuple[float, ...]  # requests per s in each tenth of a second
    punts: int | None  # submissions that went to worker threads
    notes: tuple[str, ...]
    interrupted: bool

    @property
    def ok(self) -> bool:
        """Return whether the point passed its own checks."""
        return self.self_check.ok

    @property
    def bytes_per_s(self) -> float | None:
        """Return the bandwidth, both directions together; None of a window without length."""
        return (self.bytes_read + self.bytes_written) / self.seconds if self.seconds else None


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event; interrupted: points that were not told were not begun."""

    interrupted: bool


Event = Begun | Progress | Measured | Ended
