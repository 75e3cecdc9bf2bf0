"""A reader beside a storm of writes, through the I/O queue: what is asked, and what comes back.

`stallscope-ioqueue storm` runs it (native/programs/ioqueue/storm.cpp has both forms). A simulated
target runs the same loop in virtual time, and says ``modelled``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ioprobe.engine.engine import target_document
from ioprobe.engine.lines import begun, error_of, latency_of
from ioprobe.engine.points import Begun, Ended, Measurable
from ioprobe.engine.process import told_lines
from stallscope.json_fields import Fields

PLAN_SCHEMA = "stallscope.io.storm/1"


@dataclass(frozen=True, slots=True)
class Streams:
    """The reader and the writer, each a closed loop at random places."""

    reader_bytes: int = 4096
    reader_depth: int = 1
    writer_bytes: int = 128 * 1024
    writer_depth: int = 256


@dataclass(frozen=True, slots=True)
class Setting:
    """How the queue is set: requests it lets below at a time (None: all), shares or one FIFO.

    Without ``writes`` the reader is alone.
    """

    limit: int | None
    shares: tuple[int, int] | None  # the reader's, the writer's
    writes: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """One setting to be measured for a time, in a round that has each setting once."""

    id: str
    round: int  # from 0
    setting: Setting
    warmup_s: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class ReaderLatency:
    """The reader's latencies in ns."""

    p50: float
    p90: float
    p99: float
    p999: float
    max: float

    def document(self) -> dict[str, float]:
        """Return the values by the names documents have for them."""
        return {
            "p50": self.p50,
            "p90": self.p90,
            "p99": self.p99,
            "p99.9": self.p999,
            "max": self.max,
        }


@dataclass(frozen=True, slots=True)
class StormRound:
    """What one run came to; the reader's latencies are from when the queue got a request."""

    run: Run
    source: str  # "measured" or "modelled"
    real_time: bool
    seconds: float | None
    reads: int
    reader: ReaderLatency | None  # None: no read came to its end
    reader_delay: ReaderLatency | None  # of it, in our queue
    writer_bytes_per_s: float | None  # None where there is no writer
    pending: float | None  # mean requests that waited in our queue
    in_flight: float | None  # mean requests below it
    iowait_share: float | None
    cpu_delay_share: float | None
    errors: Mapping[str, int]
    failed: tuple[str, ...]  # why it is not to be trusted
    interrupted: bool


@dataclass(frozen=True, slots=True)
class StormProgress:
    """How far a run is."""

    id: str
    elapsed_s: float


StormEvent = Begun | StormProgress | StormRound | Ended


def storming(target: Measurable, streams: Streams, runs: Sequence[Run]) -> Iterator[StormEvent]:
    """Yield Begun, then StormProgress and each run's StormRound in order, then Ended.

    The first Ctrl-C ends the run in hand, which is told; a second one raises KeyboardInterrupt.
    Raises the program's errors as StallscopeError with its exit code. Ids of runs must differ.
    """
    by_id = {run.id: run for run in runs}
    plan = storm_plan_document(target, streams, runs)
    for line in told_lines("storm", plan, target.descriptor):
        found = _event(line, by_id)
        if found is not None:
            yield found


def storm_plan_document(
    target: Measurable, streams: Streams, runs: Sequence[Run]
) -> dict[str, object]:
    """Return ``stallscope.io.storm/1``."""
    return {
        "schema": PLAN_SCHEMA,
        "target": target_document(target),
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


def _event(line: Fields, by_id: Mapping[str, Run]) -> StormEvent | None:
    kind = line.text("kind", "")
    if kind == "begin":
        return begun(line)
    if kind == "progress":
        return StormProgress(line.text("id"), line.number("elapsed_s"))
    if kind == "round":
        return _round(line, by_id[line.text("id")])
    if kind == "end":
        return Ended(line.boolean("interrupted"))
    if kind == "error":
        raise error_of(line)
    return None


def _round(line: Fields, run: Run) -> StormRound:
    reader, writer = line.fields("reader"), line.fields("writer")
    return StormRound(
        run=run,
        source=line.text("source"),
        real_time=line.boolean("real_time"),
        seconds=line.maybe_number("seconds"),
        reads=reader.count("requests"),
        reader=_latency(reader, "latency_ns"),
        reader_delay=_latency(reader, "delay_ns"),
        writer_bytes_per_s=writer.maybe_number("bytes_per_s") if run.setting.writes else None,
        pending=line.maybe_number("pending"),
        in_flight=line.maybe_number("in_flight"),
        iowait_share=line.maybe_number("iowait_share"),
        cpu_delay_share=line.maybe_number("cpu_delay_share"),
        errors=_errors(reader, writer),
        failed=line.texts("failed"),
        interrupted=line.boolean("interrupted"),
    )


def _latency(stream: Fields, key: str) -> ReaderLatency | None:
    found = latency_of(stream, key)
    if found is None:
        return None
    return ReaderLatency(found.p50, found.p90, found.p99, found.p999, found.max)


def _errors(*streams: Fields) -> dict[str, int]:
    found: dict[str, int] = {}
    for stream in streams:
        counts = stream.fields("errors")
        for name in counts.values:
            found[name] = found.get(name, 0) + counts.count(name)
    return found
