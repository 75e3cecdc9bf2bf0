"""The options of `stallscope io probe`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.io.probe.histogram_rows import LatencyScale
from ioprobe.engine.engine import Point
from ioprobe.target.target import TargetRequirements
from stallscope.errors import UsageError

# Cached reads never sleep, and a real-time class may not use a CPU for a whole second
# (kernel.sched_rt_runtime_us): they end before that, or run without the class.
CACHED_S = 0.5
MAX_BUSY_S = 0.9
CACHED_BYTES = 64 * 2**20  # size of the span that is read into the page cache
MAX_DURATION_S = 86_400.0


class ReadPath(StrEnum):
    """The paths of reads to measure."""

    BOTH = "both"
    DIRECT = "direct"
    CACHED = "cached"


LOGS = {ReadPath.DIRECT: "direct.hlog", ReadPath.CACHED: "cached.hlog"}
NAMES = {ReadPath.DIRECT: "direct", ReadPath.CACHED: "page cache"}


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What to measure, for how long, and where to write it."""

    path: str
    read_path: ReadPath = ReadPath.BOTH
    duration_s: float = 5.0
    count: int | None = None  # limit of requests
    block_bytes: int = 4096
    sequential: bool = False
    span_bytes: int | None = None  # None: the whole target
    offset_bytes: int = 0
    file_bytes: int = 256 * 2**20  # of a scratch file
    real_time: bool = True
    scale: LatencyScale = LatencyScale.LOGARITHMIC
    output: Path | None = None
    force: bool = False

    @property
    def target(self) -> TargetRequirements:
        """Return the requirements on the target."""
        return TargetRequirements(
            size_bytes=self.file_bytes,
            span_bytes=self.span_bytes,
            offset_bytes=self.offset_bytes,
            block_bytes=(self.block_bytes,),
            need_direct=self.read_path is not ReadPath.CACHED,
        )

    def point(self, read_path: ReadPath) -> Point:
        """Return the point to measure: one request at a time."""
        is_cached = read_path is ReadPath.CACHED
        is_short = is_cached and self.read_path is ReadPath.BOTH
        return Point(
            id=read_path.value,
            depth=1,
            block_bytes=self.block_bytes,
            pattern="sequential" if self.sequential else "random",
            duration_s=min(self.duration_s, CACHED_S) if is_short else self.duration_s,
            most_requests=self.count,
            engine="preadv2" if is_cached else "uring",
        )

    def caching_point(self, span_bytes: int) -> Point:
        """Return the point that reads a span into the page cache."""
        return Point(
            id="once",
            block_bytes=self.block_bytes,
            pattern="sequential",
            duration_s=MAX_DURATION_S,
            most_requests=span_bytes // self.block_bytes,
            engine="preadv2",
        )


def selected_read_path(text: str, *, cached: bool) -> ReadPath:
    """Return the path of --read-path and --cached; UsageError if they contradict each other."""
    if cached and text == ReadPath.DIRECT:
        raise UsageError("--cached and --read-path direct exclude each other", "use one of them")
    return ReadPath.CACHED if cached else ReadPath(text)
