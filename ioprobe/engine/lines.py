"""Decoding of the JSON lines that `stallscope-ioqueue` prints."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from ioprobe.engine.points import (
    EngineEnd,
    EngineEvent,
    EngineFacts,
    Latency,
    LatencyParts,
    Point,
    PointProgress,
    PointResult,
    SelfCheck,
)
from stallscope import __version__
from stallscope.documents import Count, Record, decode, field
from stallscope.errors import ExitCode, StallscopeError, UnableError

PROGRAM = "stallscope-ioqueue"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line of the program's output; its kind decides the type of its content."""

    kind: str
    content: bytes

    def decode(self, kind: type[T]) -> T:
        """Return the content. Raises RecordingError if it has another type."""
        return decode(self.content, kind, PROGRAM)


class LatencyRecord(Record, frozen=True, kw_only=True):
    """Latencies in ns as the program prints them; None without a request."""

    min: float | None = None
    mean: float | None = None
    max: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    p999: float | None = field(name="p99.9", default=None)
    p9999: float | None = field(name="p99.99", default=None)

    def complete(self) -> Latency | None:
        """Return the latencies; None if any is missing."""
        values = (self.min, self.mean, self.max, self.p50, self.p90, self.p99, self.p999,
                  self.p9999)  # fmt: skip
        numbers = [value for value in values if value is not None]
        return Latency(*numbers) if len(numbers) == len(values) else None


class _BeginRecord(Record, frozen=True, kw_only=True):
    source: str
    io_uring: str | None = None  # the reason why it is not used
    real_time: str | None = None  # the reason why it is not used
    direct: bool


class _VersionRecord(Record, frozen=True):
    version: str = "?"


class _ProgressRecord(Record, frozen=True):
    id: str
    elapsed_s: float
    requests: Count


class _EndRecord(Record, frozen=True):
    interrupted: bool


class _ErrorRecord(Record, frozen=True):
    message: str = "?"
    remedy: str = ""
    exit_code: int = ExitCode.UNABLE


class _PartsRecord(Record, frozen=True):
    queued: float | None = None
    submitting: float | None = None
    device: float | None = None
    own_cpu: float | None = None


class _PointRecord(Record, frozen=True, kw_only=True):
    id: str
    source: str
    engine: str
    real_time: bool
    requests: Count
    reads: Count
    writes: Count
    errors: dict[str, Count] = field(default_factory=dict)
    bytes_read: Count
    bytes_written: Count
    seconds: float
    iops: float | None = None
    latency_ns: LatencyRecord | None = None
    read_latency_ns: LatencyRecord | None = None
    write_latency_ns: LatencyRecord | None = None
    histogram: tuple[tuple[int, int, int], ...] = ()
    parts_ns: _PartsRecord | None = None
    cpu_s: float | None = None
    littles_law_error: float | None = None
    cpu_delay_share: float | None = None
    ok: bool
    failed: tuple[str, ...] = ()
    rate_requested: float | None = None
    series: tuple[float, ...] = ()
    punts: Count | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool


def decode_event(line: ProgramLine, points_by_id: Mapping[str, Point]) -> EngineEvent | None:
    """Return the event of a line; None if its kind is unknown.

    Raises the error that an error line reports, with its exit code.
    """
    if line.kind == "begin":
        return decode_facts(line)
    if line.kind == "progress":
        progress = line.decode(_ProgressRecord)
        return PointProgress(progress.id, progress.elapsed_s, progress.requests)
    if line.kind == "point":
        record = line.decode(_PointRecord)
        return _point_result(record, points_by_id[record.id])
    if line.kind == "end":
        return decode_end(line)
    if line.kind == "error":
        raise decode_error(line)
    return None


def decode_end(line: ProgramLine) -> EngineEnd:
    """Return the end of a run."""
    return EngineEnd(line.decode(_EndRecord).interrupted)


def decode_error(line: ProgramLine) -> StallscopeError:
    """Return the error of an error line, with its exit code."""
    record = line.decode(_ErrorRecord)
    error = StallscopeError(record.message, record.remedy)
    with suppress(ValueError):
        error.exit_code = ExitCode(record.exit_code)
    return error


def decode_facts(line: ProgramLine) -> EngineFacts:
    """Return the engine's facts; raises UnableError if its version differs from this package's."""
    version = line.decode(_VersionRecord).version
    if version != __version__:
        raise UnableError(
            f"{PROGRAM} is version {version}; expected {__version__}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    record = line.decode(_BeginRecord)
    return EngineFacts(
        source=record.source,
        io_uring_missing=record.io_uring,
        real_time_missing=record.real_time,
        direct=record.direct,
    )


def complete_latency(record: LatencyRecord | None) -> Latency | None:
    """Return the latencies; None if any is missing."""
    return None if record is None else record.complete()


def _point_result(record: _PointRecord, point: Point) -> PointResult:
    parts = record.parts_ns or _PartsRecord()
    return PointResult(
        point=point,
        source=record.source,
        engine=record.engine,
        real_time=record.real_time,
        requests=record.requests,
        reads=record.reads,
        writes=record.writes,
        errors=record.errors,
        bytes_read=record.bytes_read,
        bytes_written=record.bytes_written,
        seconds=record.seconds,
        iops=record.iops,
        latency_ns=complete_latency(record.latency_ns),
        read_latency_ns=complete_latency(record.read_latency_ns),
        write_latency_ns=complete_latency(record.write_latency_ns),
        histogram=record.histogram,
        parts_ns=LatencyParts(parts.queued, parts.submitting, parts.device, parts.own_cpu),
        cpu_s=record.cpu_s,
        self_check=SelfCheck(
            littles_law_error=record.littles_law_error,
            cpu_delay_share=record.cpu_delay_share,
            ok=record.ok,
            failed=record.failed,
        ),
        requested_rate_per_s=record.rate_requested,
        series=record.series,
        punts=record.punts,
        notes=record.notes,
        interrupted=record.interrupted,
    )
