"""The latency of a disk beside the target: direct reads of one block from a file of --path.

Nothing is written: an existing file is read with O_DIRECT, without changing its access time. Reads
are at least 0.1 s apart and take at most 5 % of the time, so that the target is hardly delayed.
"""

import mmap
import os
import random
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from stallscope.documents import Count, Record, decode, encode, read_bounded
from stallscope.errors import RecordingError
from stallscope.printable import printable
from stallscope.system_files import Roots, read_text

FILE = "path-probe.jsonl"
BLOCK_BYTES = 4096
PAUSE_S = 0.1
LARGEST_SHARE = 0.05  # of the time
MAX_READS = 20_000
MAX_ENTRIES = 2000  # of the directory that are looked at
_END_LIMIT_S = 2.0  # for a read from a disk that does not answer
_LEAST_READS = 5  # for a median


class ProbeHeader(Record, frozen=True, kw_only=True):
    """The first line: what is read, or why nothing is."""

    schema: Literal["stallscope.path-probe/1"] = "stallscope.path-probe/1"
    path: str
    disk: str | None
    file: str | None = None
    missing: str | None = None


class ProbeRead(Record, frozen=True, kw_only=True):
    """A read: its begin, its time, and the requests that were in flight before it."""

    begin_ns: Count
    latency_ns: Count
    in_flight: Count | None


@dataclass(frozen=True, slots=True)
class PathProbe:
    """Reads while the target was recorded.

    ``p50_us`` and ``p99_us`` are None with too few reads. ``idle_p50_us``: of the reads while no
    other request was in flight.
    """

    path: str
    disk: str | None
    file: str | None = None
    reads: int = 0
    p50_us: float | None = None
    p99_us: float | None = None
    idle_reads: int = 0
    idle_p50_us: float | None = None
    missing: str | None = None


def recorded_probe(recording: Path) -> PathProbe | None:
    """Return the probe of a recording; None without one. Raises RecordingError if damaged."""
    path = recording / FILE
    if not path.is_file():
        return None
    lines = read_bounded(path).split(b"\n")[:-1]  # the last line may be cut off
    if not lines:
        return None
    header = decode(lines[0], ProbeHeader, f"{path}, line 1")
    try:
        rows = [msgspec.json.decode(line, type=ProbeRead) for line in lines[1:]]
    except msgspec.MsgspecError as error:
        raise RecordingError(f"{path}: {error}", "record again") from error
    latencies = sorted(row.latency_ns for row in rows)
    idle = sorted(row.latency_ns for row in rows if row.in_flight == 0)
    return PathProbe(
        path=header.path,
        disk=header.disk,
        file=header.file,
        reads=len(rows),
        p50_us=_quantile_us(latencies, 0.5),
        p99_us=_quantile_us(latencies, 0.99),
        idle_reads=len(idle),
        idle_p50_us=_quantile_us(idle, 0.5),
        missing=header.missing,
    )


def _quantile_us(ordered_ns: list[int], quantile: float) -> float | None:
    if len(ordered_ns) < _LEAST_READS:
        return None
    return ordered_ns[min(len(ordered_ns) - 1, int(quantile * len(ordered_ns)))] / 1e3


class PathProbeRecorder:
    """Reads from start() to stop(), and appends each read to the recording."""

    def __init__(
        self,
        recording: Path,
        path: Path,
        disk: str | None,
        roots: Roots = Roots(),  # noqa: B008 - immutable
    ) -> None:
        """Prepare the reads; ``disk`` is the name of the disk of ``path``."""
        self.failure = ""
        self.cpu_s = 0.0
        self._recording, self._path, self._disk, self._roots = recording, path, disk, roots
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, pids: tuple[int, ...]) -> None:  # noqa: ARG002 - a companion's signature
        """Start to read."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="path probe", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End; a read that the disk does not answer is abandoned."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(_END_LIMIT_S)

    def _run(self) -> None:
        file = _largest_file(self._path)
        missing = None if file is not None else f"no file of at least {BLOCK_BYTES} bytes in it"
        log = self._recording / FILE
        try:
            log.unlink(missing_ok=True)
            descriptor = None if file is None else _open_direct(file)
        except OSError as error:
            descriptor, missing = None, f"cannot be read with O_DIRECT: {error.strerror}"
        header = ProbeHeader(
            path=printable(str(self._path)),
            disk=self._disk,
            file=None if file is None else printable(file.name),
            missing=missing,
        )
        try:
            with log.open("xb", buffering=0) as output:
                output.write((encode(header) + "\n").encode())
                if descriptor is not None:
                    self._read_until_end(descriptor, output.write)
        except OSError as error:
            self.failure = f"the reads of --path ended: {error.strerror}"
        finally:
            if descriptor is not None:
                os.close(descriptor)
        self.cpu_s = time.thread_time()

    def _read_until_end(self, descriptor: int, write: Callable[[bytes], object]) -> None:
        blocks = os.fstat(descriptor).st_size // BLOCK_BYTES
        chosen = random.Random(0)  # noqa: S311 - offsets, not secrets
        with mmap.mmap(-1, BLOCK_BYTES) as buffer:
            for _ in range(MAX_READS):
                in_flight = self._in_flight()
                begin_ns = time.monotonic_ns()
                os.preadv(descriptor, [buffer], chosen.randrange(blocks) * BLOCK_BYTES)
                latency_ns = time.monotonic_ns() - begin_ns
                row = ProbeRead(begin_ns=begin_ns, latency_ns=latency_ns, in_flight=in_flight)
                write((encode(row) + "\n").encode())
                if self._end.wait(max(PAUSE_S, latency_ns / 1e9 / LARGEST_SHARE)):
                    return

    def _in_flight(self) -> int | None:
        """Return the requests in flight on the disk; None if it is not known."""
        if self._disk is None:
            return None
        text = read_text(self._roots.sys / "block" / self._disk.replace("/", "!") / "inflight", 64)
        words = (text or "").split()
        if len(words) != 2 or not all(word.isdecimal() for word in words):
            return None
        return sum(map(int, words))


def _largest_file(folder: Path) -> Path | None:
    """Return the largest regular file of a directory and its subdirectories, among the first."""
    largest, size, seen = None, BLOCK_BYTES - 1, 0
    pending = [folder]
    while pending and seen < MAX_ENTRIES:
        with suppress(OSError), os.scandir(pending.pop(0)) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    break
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        pending.append(Path(entry.path))
                    elif stat.S_ISREG(status.st_mode) and status.st_size > size:
                        largest, size = Path(entry.path), status.st_size
    return largest


def _open_direct(path: Path) -> int:
    """Return a descriptor for reads that bypass the page cache; raises OSError."""
    flags = os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(PermissionError):
        return os.open(path, flags | os.O_NOATIME)
    return os.open(path, flags)
