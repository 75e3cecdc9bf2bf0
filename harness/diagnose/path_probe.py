"""The latency of a disk beside the target: a short series of direct reads of one block each."""

from pathlib import Path

from stallscope.documents import Amount, Count, Document, read_document


class PathProbe(Document, frozen=True, kw_only=True, tag="stallscope.path-probe/1"):
    """Reads from the directory of --path while the target was recorded.

    ``file``: the file that was read. ``p50_us`` and ``p99_us`` are None if no read completed, and
    ``missing`` is the reason.
    """

    path: str
    disk: str | None
    file: str | None = None
    reads: Count = 0
    p50_us: Amount | None = None
    p99_us: Amount | None = None
    busy_reads: Count = 0  # of the reads, while other requests were in flight
    idle_p50_us: Amount | None = None  # of the reads while none was in flight
    missing: str | None = None


FILE = "path-probe.json"


def recorded_probe(recording: Path) -> PathProbe | None:
    """Return the probe of a recording; None without one."""
    path = recording / FILE
    return read_document(path, PathProbe) if path.is_file() else None
