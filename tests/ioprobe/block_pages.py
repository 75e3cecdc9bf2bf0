"""Format files of block tracepoints, and trace pages with their records."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from tests.stallscope.tracing.ring_writer import PAGE_BYTES, event, page, record

INSERT, ISSUE, COMPLETE, REQUEUE, MERGE, FRONT, GETRQ, SPLIT = range(21, 29)
DISK = 8 << 20
COMMON = """
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""
_BEGIN = (("dev_t dev", 8, 4), ("sector_t sector", 16, 8), ("unsigned int nr_sector", 24, 4))
_NAMED = (("char rwbs[10]", 34, 10), ("char comm[16]", 44, 16))
_REQUEST = (*_BEGIN, ("unsigned int bytes", 28, 4), *_NAMED)
FORMATS = {
    "block_rq_insert": (INSERT, _REQUEST),
    "block_rq_issue": (ISSUE, _REQUEST),
    "block_rq_complete": (COMPLETE, (*_BEGIN, ("int error", 28, 4), ("char rwbs[10]", 34, 10))),
    "block_rq_requeue": (REQUEUE, (*_BEGIN, ("char rwbs[10]", 34, 10))),
    "block_rq_merge": (MERGE, _REQUEST),
    "block_bio_frontmerge": (FRONT, (*_BEGIN, *_NAMED)),
    "block_getrq": (GETRQ, (*_BEGIN, *_NAMED)),
    "block_split": (SPLIT, (*_BEGIN[:2], *_NAMED)),
}


def write_formats(events: Path, *, without: tuple[str, ...] = ()) -> Path:
    """Write the format files of a kernel; return their folder."""
    for name, (number, fields) in FORMATS.items():
        if name in without:
            continue
        lines = "".join(
            f"\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:0;\n"
            for field, offset, size in fields
        )
        (events / "block" / name).mkdir(parents=True)
        text = f"name: {name}\nID: {number}\nformat:{COMMON}\n{lines}"
        (events / "block" / name / "format").write_text(text)
    return events


@dataclass(slots=True)
class BlockPages:
    """Trace pages of one CPU."""

    pages: list[bytes] = field(default_factory=list)
    _events: list[bytes] = field(default_factory=list)
    _begin_ns: int = 0
    _last_ns: int = 0

    def add(
        self,
        number: int,
        t_ns: int,
        sector: int,
        *,
        tid: int = 1,
        comm: bytes = b"",
        rwbs: bytes = b"R",
        sectors: int = 8,
        error: int = 0,
    ) -> None:
        """Add a record."""
        if not self._events:
            self._begin_ns = self._last_ns = t_ns
        fourth = error if number == COMPLETE else sectors * 512
        body = struct.pack("=IIQIiH10s16s", DISK, 0, sector, sectors, fourth, 0, rwbs, comm)
        self._events.append(event(t_ns - self._last_ns, record(number, tid, body)))
        self._last_ns = t_ns
        if len(self._events) == 40:
            self.flush()

    def flush(self, *, missed: bool = False) -> None:
        """End the page; ``missed`` marks events lost before it."""
        self.pages.append(page(self._begin_ns, *self._events, missed=missed))
        self._events.clear()

    def whole(self) -> bytes:
        """Return all pages."""
        if self._events:
            self.flush()
        return b"".join(self.pages)


def request(pages: BlockPages, t_ns: int, sector: int, *, tid: int, comm: bytes) -> None:
    """Add a read with 10 ns in the queue and 100 ns on the device, completed in an interrupt."""
    pages.add(INSERT, t_ns, sector, tid=tid, comm=comm)
    pages.add(ISSUE, t_ns + 10, sector, tid=99, comm=b"kworker/0:1H")
    pages.add(COMPLETE, t_ns + 110, sector, tid=77, comm=b"")


__all__ = ["PAGE_BYTES", "BlockPages", "request", "write_formats"]
