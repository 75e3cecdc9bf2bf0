"""Parsing of the JSON lines that `stallscope-ioqueue` prints."""

from collections.abc import Mapping
from contextlib import suppress

from ioprobe.engine.points import (
    PERCENTILES,
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
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.json_fields import Fields

PROGRAM = "stallscope-ioqueue"


def parse_event(line: Fields, points_by_id: Mapping[str, Point]) -> EngineEvent | None:
    """Return the event of a line; None if its kind is unknown.

    Raises the error that an error line reports, with its exit code.
    """
    kind = line.text("kind", "")
    if kind == "begin":
        return parse_facts(line)
    if kind == "progress":
        return PointProgress(line.text("id"), line.number("elapsed_s"), line.count("requests"))
    if kind == "point":
        return _point_result(line, points_by_id[line.text("id")])
    if kind == "end":
        return EngineEnd(line.boolean("interrupted"))
    if kind == "error":
        raise parse_error(line)
    return None


def parse_error(line: Fields) -> StallscopeError:
    """Return the error of an error line, with its exit code."""
    error = StallscopeError(line.text("message", "?"), line.text("remedy", ""))
    with suppress(ValueError):
        error.exit_code = ExitCode(line.integer("exit_code", ExitCode.UNABLE))
    return error


def parse_facts(line: Fields) -> EngineFacts:
    """Return the engine's facts; raises UnableError if its version differs from this package's."""
    version = line.text("version", "?")
    if version != __version__:
        raise UnableError(
            f"{PROGRAM} is version {version}; expected {__version__}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    return EngineFacts(
        source=line.text("source"),
        io_uring_missing=line.maybe_text("io_uring"),
        real_time_missing=line.maybe_text("real_time"),
        direct=line.boolean("direct"),
    )


def _point_result(line: Fields, point: Point) -> PointResult:
    parts = line.fields("parts_ns")
    errors = line.fields("errors")
    return PointResult(
        point=point,
        source=line.text("source"),
        engine=line.text("engine"),
        real_time=line.boolean("real_time"),
        requests=line.count("requests"),
        reads=line.count("reads"),
        writes=line.count("writes"),
        errors={name: errors.count(name) for name in errors.values},
        bytes_read=line.count("bytes_read"),
        bytes_written=line.count("bytes_written"),
        seconds=line.number("seconds"),
        iops=line.maybe_number("iops"),
        latency_ns=parse_latency(line, "latency_ns"),
        read_latency_ns=parse_latency(line, "read_latency_ns"),
        write_latency_ns=parse_latency(line, "write_latency_ns"),
        histogram=_histogram(line),
        parts_ns=LatencyParts(
            *(parts.maybe_number(key) for key in ("queued", "submitting", "device", "own_cpu"))
        ),
        cpu_s=line.maybe_number("cpu_s"),
        self_check=SelfCheck(
            littles_law_error=line.maybe_number("littles_law_error"),
            cpu_delay_share=line.maybe_number("cpu_delay_share"),
            ok=line.boolean("ok"),
            failed=line.texts("failed"),
        ),
        requested_rate_per_s=line.maybe_number("rate_asked"),
        series=line.numbers("series"),
        punts=line.maybe_count("punts"),
        notes=line.texts("notes"),
        interrupted=line.boolean("interrupted"),
    )


def parse_latency(line: Fields, key: str) -> Latency | None:
    """Return the latencies of a line; None if any value is missing."""
    fields = line.fields(key)
    values = [fields.maybe_number(name) for name in ("min", "mean", "max", *PERCENTILES)]
    known = [value for value in values if value is not None]
    return Latency(*known) if len(known) == len(values) else None


def _histogram(line: Fields) -> tuple[tuple[int, int, int], ...]:
    """Return lower bound in ns, upper bound in ns and count of each bucket."""
    rows = line.values.get("histogram", [])
    assert isinstance(rows, list)
    return tuple((int(low), int(high), int(count)) for low, high, count in rows)
