"""A reader beside a storm of writes through the I/O queue: the plan and its results.

`stallscope-ioqueue storm` runs the plan (native/programs/ioqueue/storm.cpp documents both formats).
A simulated target runs the same loop in virtual time; its results are marked ``modelled``.
"""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ioprobe.curve.io_properties import DiskRates
from ioprobe.engine.engine import target_document
from ioprobe.engine.lines import (
    LatencyRecord,
    ProgramLine,
    complete_latency,
    decode_end,
    decode_error,
    decode_facts,
)
from ioprobe.engine.points import EngineEnd, EngineFacts, EngineTarget
from ioprobe.engine.process import PhaseObserver, program_lines
from stallscope.documents import Amount, Count, Record, Share, field

PLAN_SCHEMA = "stallscope.io.storm/1"


@dataclass(frozen=True, slots=True)
class StormStreams:
    """The reader and the writer: closed loops with requests at random offsets."""

    reader_bytes: int = 4096
    reader_depth: int = 1
    writer_bytes: int = 128 * 1024
    writer_depth: int = 256


@dataclass(frozen=True, slots=True)
class StormSetting:
    """A setting of the I/O queue: the limit of requests on the disk, with shares or as a FIFO.

    Without ``writes`` the reader is alone.
    """

    limit: int | None  # None: no limit
    shares: tuple[int, int] | None  # of the reader and the writer; None: first come, first served
    writes: bool = True


@dataclass(frozen=True, slots=True)
class StormRun:
    """A measurement of one setting; each round measures every setting once."""

    id: str
    round: int  # from 0
    setting: StormSetting
    warmup_s: float
    duration_s: float


class ReaderLatency(Record, frozen=True):
    """Latencies of the reader in ns."""

    p50: Amount
    p90: Amount
    p99: Amount
    p999: Amount = field(name="p99.9")
    max: Amount


class StormPoint(Record, frozen=True, kw_only=True):
    """An interval of a run that ends at ``t_s``, in seconds from the end of the warm-up."""

    t_s: Amount
    replies_per_s: Amount
    iowait_share: Share | None  # of all CPUs' time; None if the kernel does not report it
    queued: Amount  # mean number of requests that wait in the I/O queue
    below: Amount  # mean number of requests that the queue passed on: kernel and device


@dataclass(frozen=True, slots=True)
class StormRound:
    """The result of a run; a latency starts when the queue receives the request."""

    run: StormRun
    source: str  # "measured" or "modelled"
    real_time: bool
    seconds: float | None
    reads: int
    reader: ReaderLatency | None  # None: no read completed
    reader_delay: ReaderLatency | None  # the part of the latency spent in the I/O queue
    writer_bytes_per_s: float | None  # None: there is no writer
    pending: float | None  # mean number of requests that wait in the I/O queue
    in_flight: float | None  # mean number of requests on the disk
    iowait_share: float | None
    cpu_delay_share: float | None
    errors: Mapping[str, int]
    failed: tuple[str, ...]  # reasons not to trust the run
    interrupted: bool
    series: tuple[StormPoint, ...] = ()  # the run over time; empty if it was not sampled


@dataclass(frozen=True, slots=True)
class StormProgress:
    """Progress of the current run."""

    id: str
    elapsed_s: float


StormEvent = EngineFacts | StormProgress | StormRound | EngineEnd


def storm_events(
    target: EngineTarget,
    streams: StormStreams,
    runs: Sequence[StormRun],
    rates: DiskRates | None = None,
    observer: PhaseObserver | None = None,
) -> Generator[StormEvent, None, None]:
    """Yield EngineFacts, then StormProgress and StormRound events in plan order, then EngineEnd.

    The first Ctrl-C ends the current run, whose result is kept; a second one raises
    KeyboardInterrupt. An error of the program is raised as StallscopeError with its exit code. Run
    ids must be unique. With ``rates`` the cost of a request depends on its size and direction;
    without them each costs the same. The program marks the measured time of each run for the
    observer.
    """
    runs_by_id = {run.id: run for run in runs}
    plan = storm_plan_document(target, streams, runs, rates)
    for line in program_lines("storm", plan, target.descriptor, observer):
        event = _event(line, runs_by_id)
        if event is not None:
            yield event


def storm_plan_document(
    target: EngineTarget,
    streams: StormStreams,
    runs: Sequence[StormRun],
    rates: DiskRates | None = None,
) -> dict[str, object]:
    """Return ``stallscope.io.storm/1``."""
    return {
        "schema": PLAN_SCHEMA,
        "target": target_document(target),
        "rates": None if rates is None else msgspec.structs.asdict(rates),
        "rounds": [
            {
                "id": run.id,
                "limit": run.setting.limit,
                "shares": run.setting.shares,
                "reader": {"depth": streams.reader_depth, "block_bytes": streams.reader_bytes},
                "writer": {
                    "depth": streams.writer_depth if run.setting.writes else 0,
                    "block_bytes": streams.writer_bytes,
                },
                "warmup_s": run.warmup_s,
                "duration_s": run.duration_s,
                "seed": run.round + 1,
            }
            for run in runs
        ],
    }


class _ProgressRecord(Record, frozen=True):
    id: str
    elapsed_s: float


class _ReaderRecord(Record, frozen=True, kw_only=True):
    requests: Count
    latency_ns: LatencyRecord | None = None
    delay_ns: LatencyRecord | None = None
    errors: dict[str, Count] = field(default_factory=dict)


class _WriterRecord(Record, frozen=True, kw_only=True):
    bytes_per_s: float | None = None
    errors: dict[str, Count] = field(default_factory=dict)


class _RoundRecord(Record, frozen=True, kw_only=True):
    id: str
    source: str
    real_time: bool
    seconds: float | None = None
    reader: _ReaderRecord
    writer: _WriterRecord | None = None
    pending: float | None = None
    in_flight: float | None = None
    iowait_share: float | None = None
    cpu_delay_share: float | None = None
    failed: tuple[str, ...] = ()
    interrupted: bool


def _event(line: ProgramLine, runs_by_id: Mapping[str, StormRun]) -> StormEvent | None:
    if line.kind == "begin":
        return decode_facts(line)
    if line.kind == "progress":
        progress = line.decode(_ProgressRecord)
        return StormProgress(progress.id, progress.elapsed_s)
    if line.kind == "round":
        record = line.decode(_RoundRecord)
        return _round(record, runs_by_id[record.id])
    if line.kind == "end":
        return decode_end(line)
    if line.kind == "error":
        raise decode_error(line)
    return None


def _round(record: _RoundRecord, run: StormRun) -> StormRound:
    reader, writer = record.reader, record.writer or _WriterRecord()
    return StormRound(
        run=run,
        source=record.source,
        real_time=record.real_time,
        seconds=record.seconds,
        reads=reader.requests,
        reader=_latency(reader.latency_ns),
        reader_delay=_latency(reader.delay_ns),
        writer_bytes_per_s=writer.bytes_per_s if run.setting.writes else None,
        pending=record.pending,
        in_flight=record.in_flight,
        iowait_share=record.iowait_share,
        cpu_delay_share=record.cpu_delay_share,
        errors=dict(Counter(reader.errors) + Counter(writer.errors)),
        failed=record.failed,
        interrupted=record.interrupted,
    )


def _latency(record: LatencyRecord | None) -> ReaderLatency | None:
    latency = complete_latency(record)
    if latency is None:
        return None
    return ReaderLatency(latency.p50, latency.p90, latency.p99, latency.p999, latency.max)
