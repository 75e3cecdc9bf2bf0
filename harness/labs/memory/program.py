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
    ThreadReading,
)
from stallscope import __version__
from stallscope.errors import UnableError
from stallscope.json_fields import Fields
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
    points: Sequence[RingPoint], repeats: Repeats, on_result: Callable[[PointResult], None]
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
                process.stdin.write(plan_document(points, repeats).encode())
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


def plan_document(points: Sequence[RingPoint], repeats: Repeats) -> str:
    """Return the plan as JSON."""
    return json.dumps(
        {
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


def _parse_line(line: bytes, points: Sequence[RingPoint]) -> PointResult | None:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise UnableError(f"{_PROGRAM} wrote a line that is not JSON", _REMEDY) from error
    fields = Fields(values if isinstance(values, dict) else {}, _PROGRAM)
    event = fields.text("event", "")
    if event == "hello" and fields.text("version", "?") != __version__:
        raise UnableError(
            f"{_PROGRAM} is version {fields.text('version', '?')}; expected {__version__}", _REMEDY
        )
    if event not in ("point", "skipped"):
        return None
    index = fields.count("index")
    if index >= len(points):
        raise UnableError(f"{_PROGRAM} reported point {index}, which is not in the plan", _REMEDY)
    if event == "skipped":
        return SkippedPoint(points[index], fields.text("why"))
    threads = tuple(map(_parse_thread, fields.objects("threads")))
    if not threads or not all(thread.latency_ns for thread in threads):
        raise UnableError(f"{_PROGRAM} reported point {index} without a latency", _REMEDY)
    return PointReading(points[index], threads)


def _parse_thread(fields: Fields) -> ThreadReading:
    pages, by_node = fields.fields("pages"), fields.fields("pages_by_node")
    counts, refused = fields.fields("counts_per_step"), fields.fields("counters_refused")
    return ThreadReading(
        latency_ns=fields.numbers("latency_ns"),
        pages=ObtainedPages(
            pages.text("kind"), pages.count("huge_bytes"), pages.count("page_bytes")
        ),
        pages_by_node={int(node): by_node.count(node) for node in by_node.values},
        counts_per_step={name: counts.maybe_number(name) for name in counts.values},
        counters_refused={name: refused.text(name) for name in refused.values},
    )


def _check_exit(status: int, stderr: bytes) -> None:
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status == 0:
        return
    messages = stderr.decode("utf-8", "replace").strip().splitlines()
    message = messages[0] if messages else f"{_PROGRAM}: error: exit status {status}"
    raise UnableError(message.replace(": error", "", 1), "use smaller rings or fewer threads")
