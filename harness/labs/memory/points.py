"""What the memory lab asks to be measured, and what came of it: plain values, no machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

LINE_BYTES = 64  # of a ring; strides are multiples of it


class Pages(StrEnum):
    """The pages that a ring is to lie in."""

    HUGE = "huge"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Point:
    """Threads that walk rings of their own at the same time."""

    lines: int  # of each ring
    stride_bytes: int  # from line to line
    pages: Pages
    cpus: tuple[int, ...]  # one thread on each
    node: int | None = None  # the NUMA node of the memory; None: where the kernel puts it

    @property
    def ring_bytes(self) -> int:
        """Return the memory from a ring's start to its end."""
        return self.lines * self.stride_bytes

    @property
    def total_bytes(self) -> int:
        """Return the memory of all threads' rings."""
        return self.ring_bytes * len(self.cpus)


@dataclass(frozen=True, slots=True)
class PagesGot:
    """What /proc/self/smaps said of a ring's memory."""

    kind: str  # "hugetlb", "transparent", "partly transparent", "small" or "unknown"
    huge_bytes: int
    page_bytes: int


@dataclass(frozen=True, slots=True)
class ThreadChase:
    """One thread's latencies and counters."""

    latency_ns: tuple[float, ...]  # of a step, by repeat
    pages: PagesGot
    pages_by_node: Mapping[int, int]  # of those looked at; empty where the kernel does not tell
    counts_per_step: Mapping[str, float | None]
    counters_refused: Mapping[str, str]  # why, by counter


@dataclass(frozen=True, slots=True)
class Measured:
    """A point and what its threads found."""

    point: Point
    threads: tuple[ThreadChase, ...]

    @property
    def least_ns(self) -> float:
        """Return the latency of the least disturbed repeat; the median thread's, where several."""
        return median(min(thread.latency_ns) for thread in self.threads)

    @property
    def median_ns(self) -> float:
        """Return the median latency of the repeats; the median thread's, where several."""
        return median(median(thread.latency_ns) for thread in self.threads)

    @property
    def most_ns(self) -> float:
        """Return the latency of the most disturbed repeat of any thread."""
        return max(max(thread.latency_ns) for thread in self.threads)

    @property
    def got(self) -> PagesGot:
        """Return the first thread's pages."""
        return self.threads[0].pages


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A point that was not measured."""

    point: Point
    why: str
