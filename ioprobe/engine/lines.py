"""From the lines of `stallscope-ioqueue points` to events."""

from collections.abc import Mapping
from contextlib import suppress

from ioprobe.engine.points import (
    PERCENTILES,
    Begun,
    Ended,
    Event,
    Latency,
    Measured,
    Parts,
    Point,
    Progress,
    SelfCheck,
)
from stallscope import __version__
from stallscope.errors import ExitCode, StallscopeError, UnableError
from stallscope.json_fields import Fields

PROGRAM = "stallscope-ioqueue"


def event(line: Fields, by_id: Mapping[str, Point]) -> Event | None:
    """Return what a line tells; None of a kind that is not known.

    Raises the engine's own error, where the line tells one, with its exit code.
    """
    kind = line.text("kind", "")
    if kind == "begin":
        return begun(line)
    if kind == "progress":
        return Progress(line.text("id"), line.number("elapsed_s"), line.count("requests"))
    if kind == "point":
        return _measured(line, by_id[line.text("id")])
    if kind == "end":
        return Ended(line.boolean("interrupted"))
    if kind == "error":
        raise error_of(line)
    return None


def error_of(line: Fields) -> StallscopeError:
    """Return the error that a line tells, with its exit code."""
    error = StallscopeError(line.text("message", "?"), line.text("remedy", ""))
    with suppress(ValueError):
        error.exit_code = ExitCode(line.integer("exit_code", ExitCode.UNABLE))
    return error


def begun(line: Fields) -> Begun:
    """Return the engine's facts; raises UnableError where its version is another one."""
    version = line.text("version", "?")
    if version != __version__:
        raise UnableError(
            f"{PROGRAM} is version {version}; expected {__version__}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    return Begun(
        source=line.text("source"),
        no_io_uring=line.maybe_text("io_uring"),
        no_real_time=line.maybe_text("real_time"),
        direct=line.boolean("direct"),
    )


def _measured(line: Fields, point: Point) -> Measured:
    parts = line.fields("parts_ns")
    errors = line.fields("errors")
    return Measured(
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
        latency_ns=latency_of(line, "latency_ns"),
        read_latency_ns=latency_of(line, "read_latency_ns"),
        write_latency_ns=latency_of(line, "write_latency_ns"),
        histogram=histogram_of(line),
        parts_ns=Parts(
            *(parts.maybe_number(key) for key in ("queued", "submitting", "device", "own_cpu"))
        ),
        cpu_s=line.maybe_number("cpu_s"),
        self_check=SelfCheck(
            littles_law_error=line.maybe_number("littles_law_error"),
            cpu_delay_share=line.maybe_number("cpu_delay_share"),
            ok=line.boolean("ok"),
            failed=line.texts("failed"),
        ),
        rate_asked=line.maybe_number("rate_asked"),
        series=line.numbers("series"),
        punts=line.maybe_count("punts"),
        notes=line.texts("notes"),
        interrupted=line.boolean("interrupted"),
    )


def latency_of(line: Fields, key: str) -> Latency | None:
    """Return latencies of a line; None where it has none, or not all: what is missing is not 0."""
    found = line.fields(key)
    told = [found.maybe_number(name) for name in ("min", "mean", "max", *PERCENTILES)]
    known = [one for one in told if one is not None]
    return Latency(*known) if len(known) == len(told) else None


def histogram_of(line: Fields) -> tuple[tuple[int, int, int], ...]:
    """Return least ns, greatest ns and count of each bucket."""
    rows = line.values.get("histogram", [])
    assert isinstance(rows, list)
    return tuple((int(low), int(high), int(count)) for low, high, count in rows)
