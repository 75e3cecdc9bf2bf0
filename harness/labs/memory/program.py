"""A run of stallscope-memory: the plan on its standard input, JSON lines on its standard output."""

import json
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from harness.labs.memory.points import (
    ObtainedPages,
    PointReading,
    RingPoint,
    SkippedPoint,
    ThreadPointReading,
)
from stallscope import __version__
from stallscope.documents import Count, Record, decode, field
from stallscope.errors import RecordingError, UnableError
from stallscope.programs import program

PLAN_SCHEMA = "stallscope.memory-plan/1"
_PROGRAM = "stallscope-memory"
_REMEDY = "reinstall stallscope, or run ./dev build in a checkout"

PointResult = PointReading | SkippedPoint


@dataclass(frozen=True, slots=True)
class Repeats:
    """Number and length of the repeats of a point."""

    count: int
    repeat_ns: int


def run_points(
    points: Sequence[RingPoint],
    repeats: Repeats,
    on_result: Callable[[PointResult], None],
    events: Sequence[str] = (),
) -> None:
    """Measure the points; ``on_result`` receives every result at once.

    Raises UnableError if the program fails, KeyboardInterrupt if it was interrupted. The program
    has ended when this function returns or raises.
    """
    if not points:
        return
    process = subprocess.Popen(
        [program(_PROGRAM), "--plan", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        try:
            with suppress(BrokenPipeError):  # it has ended; its exit status is checked below
                process.stdin.write(plan_document(points, repeats, events).encode())
                process.stdin.close()
            for line in process.stdout:
                _pass_on(line, points, on_result)
            _check_exit(process.wait(), process.stderr.read(4096))
        except KeyboardInterrupt:
            process.kill()
            for line in process.stdout:  # lines that were written but not read yet
                with suppress(UnableError):  # an incomplete last line
                    _pass_on(line, points, on_result)
            raise
        finally:
            process.kill()


def plan_document(points: Sequence[RingPoint], repeats: Repeats, events: Sequence[str] = ()) -> str:
    """Return the plan as JSON; without events the program counts its default ones."""
    return json.dumps(
        ({"events": list(events)} if events else {})
        | {
            "schema": PLAN_SCHEMA,
            "repeats": repeats.count,
            "repeat_ns": repeats.repeat_ns,
            "points": [
                {
                    "lines": point.lines,
                    "stride_bytes": point.stride_bytes,
                    "pages": point.pages.value,
                    "cpus": list(point.cpus),
                    "node": point.node,
                    "order": point.order.value,
                }
                for point in points
            ],
        }
    )


def _pass_on(
    line: bytes, points: Sequence[RingPoint], on_result: Callable[[PointResult], None]
) -> None:
    result = _parse_line(line, points)
    if result is not None:
        on_result(result)


class _HelloRecord(Record, frozen=True):
    event: str = ""
    version: str = "?"


class _PagesRecord(Record, frozen=True):
    kind: str
    huge_bytes: Count
    page_bytes: Count


class _ThreadRecord(Record, frozen=True, kw_only=True):
    latency_ns: tuple[float, ...] = ()
    pages: _PagesRecord
    pages_by_node: dict[int, Count] = field(default_factory=dict)
    counts_per_step: dict[str, float | None] = field(default_factory=dict)
    counters_refused: dict[str, str] = field(default_factory=dict)


class _PointRecord(Record, frozen=True, kw_only=True):
    index: Count
    why: str = ""  # of a skipped point
    threads: tuple[_ThreadRecord, ...] = ()


def _parse_line(line: bytes, points: Sequence[RingPoint]) -> PointResult | None:
    try:
        hello = decode(line, _HelloRecord, _PROGRAM)
        if hello.event == "hello" and hello.version != __version__:
            raise UnableError(
                f"{_PROGRAM} is version {hello.version}; expected {__version__}", _REMEDY
            )
        if hello.event not in ("point", "skipped"):
            return None
        record = decode(line, _PointRecord, _PROGRAM)
    except RecordingError as error:
        raise UnableError(
            f"{_PROGRAM} wrote an unexpected line: {error.message}", _REMEDY
        ) from error
    if record.index >= len(points):
        raise UnableError(
            f"{_PROGRAM} reported point {record.index}, which is not in the plan", _REMEDY
        )
    point = points[record.index]
    if hello.event == "skipped":
        return SkippedPoint(point, record.why)
    if not record.threads or not all(thread.latency_ns for thread in record.threads):
        raise UnableError(f"{_PROGRAM} reported point {record.index} without a latency", _REMEDY)
    return PointReading(point, tuple(map(_thread_reading, record.threads)))


def _thread_reading(record: _ThreadRecord) -> ThreadPointReading:
    pages = record.pages
    return ThreadPointReading(
        latency_ns=record.latency_ns,
        pages=ObtainedPages(pages.kind, pages.huge_bytes, pages.page_bytes),
        pages_by_node=record.pages_by_node,
        counts_per_step=record.counts_per_step,
        counters_refused=record.counters_refused,
    )


def _check_exit(status: int, stderr: bytes) -> None:
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status == 0:
        return
    messages = stderr.decode("utf-8", "replace").strip().splitlines()
    message = messages[0] if messages else f"{_PROGRAM}: error: exit status {status}"
    raise UnableError(message.replace(": error", "", 1), "use smaller rings or fewer threads")
