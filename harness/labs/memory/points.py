"""Points of the memory lab, rings of cache lines, and their readings."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

LINE_BYTES = 64  # of a ring; strides are multiples of it


class Pages(StrEnum):
    """The requested page size of a ring."""

    HUGE = "huge"
    SMALL = "small"


class ChaseOrder(StrEnum):
    """The order in which a ring visits its lines; prefetched: random with prefetch instructions."""

    RANDOM = "random"
    ASCENDING = "ascending"
    PREFETCHED = "prefetched"


@dataclass(frozen=True, slots=True)
class RingPoint:
    """Threads that each walk a private ring at the same time."""

    lines: int  # of each ring
    stride_bytes: int  # between neighbouring lines
    pages: Pages
    cpus: tuple[int, ...]  # one thread on each
    node: int | None = None  # NUMA node of the memory; None: the kernel's choice
    order: ChaseOrder = ChaseOrder.RANDOM

    @property
    def ring_bytes(self) -> int:
        """Return the size of a ring."""
        return self.lines * self.stride_bytes

    @property
    def total_bytes(self) -> int:
        """Return the size of all threads' rings."""
        return self.ring_bytes * len(self.cpus)


@dataclass(frozen=True, slots=True)
class ObtainedPages:
    """The pages of a ring according to /proc/self/smaps."""

    kind: str  # "hugetlb", "transparent", "partly transparent", "small" or "unknown"
    huge_bytes: int
    page_bytes: int


@dataclass(frozen=True, slots=True)
class ThreadPointReading:
    """Latencies and counters of one thread."""

    latency_ns: tuple[float, ...]  # per step, by repeat
    pages: ObtainedPages
    pages_by_node: Mapping[int, int]  # of a sample of pages; empty if the kernel does not report it
    counts_per_step: Mapping[str, float | None]
    counters_refused: Mapping[str, str]  # reason by counter


@dataclass(frozen=True, slots=True)
class PointReading:
    """A measured point; with several threads a value is the median over threads."""

    point: RingPoint
    threads: tuple[ThreadPointReading, ...]

    @property
    def min_ns(self) -> float:
        """Return the latency of the least disturbed repeat."""
        return median(min(thread.latency_ns) for thread in self.threads)

    @property
    def median_ns(self) -> float:
        """Return the median latency of the repeats."""
        return median(median(thread.latency_ns) for thread in self.threads)

    @property
    def max_ns(self) -> float:
        """Return the latency of the most disturbed repeat of any thread."""
        return max(max(thread.latency_ns) for thread in self.threads)


@dataclass(frozen=True, slots=True)
class SkippedPoint:
    """A point that was not measured, with the reason."""

    point: RingPoint
    why: str
