"""What `stallscope io probe` is asked for."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.io.probe.buckets import Scale
from ioprobe.engine.engine import Point
from ioprobe.target.target import TargetRequirements

# Cached reads never sleep, and a real-time class may not have a CPU for all of a second
# (kernel.sched_rt_runtime_us): they end before, or do without.
CACHED_S = 0.5
LONGEST_BUSY_S = 0.9
CACHED_BYTES = 64 * 2**20  # read once before, so that it is there
LONGEST_S = 86_400.0


class Ways(StrEnum):
    """Which reads are measured."""

    BOTH = "both"
    DIRECT = "direct"
    CACHED = "cached"


LOGS = {Ways.DIRECT: "direct.hlog", Ways.CACHED: "cached.hlog"}
NAMES = {Ways.DIRECT: "direct", Ways.CACHED: "page cache"}


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What is measured, for how long, and where it is put."""

    path: str
    ways: Ways = Ways.BOTH
    duration_s: float = 5.0
    count: int | None = None
    block_bytes: int = 4096
    sequential: bool = False
    span_bytes: int | None = None
    offset_bytes: int = 0
    file_bytes: int = 256 * 2**20
    real_time: bool = True
    scale: Scale = Scale.LOGARITHMIC
    output: Path | None = None
    force: bool = False

    def wanted(self) -> TargetRequirements:
        """Return what must be opened."""
        return TargetRequirements(
            size_bytes=self.file_bytes,
            span_bytes=self.span_bytes,
            offset_bytes=self.offset_bytes,
            block_bytes=(self.block_bytes,),
            need_direct=self.ways is not Ways.CACHED,
        )

    def point(self, way: Ways) -> Point:
        """Return what the engine measures: one request at a time."""
        cached = way is Ways.CACHED
        short = cached and self.ways is Ways.BOTH
        return Point(
            id=way.value,
            depth=1,
            block_bytes=self.block_bytes,
            pattern="sequential" if self.sequential else "random",
            duration_s=min(self.duration_s, CACHED_S) if short else self.duration_s,
            most_requests=self.count,
            engine="preadv2" if cached else "uring",
        )

    def once(self, span_bytes: int) -> Point:
        """Return the reads that bring a span into the page cache."""
        return Point(
            id="once",
            block_bytes=self.block_bytes,
            pattern="sequential",
            duration_s=LONGEST_S,
            most_requests=span_bytes // self.block_bytes,
            engine="preadv2",
        )
