"""Running stallscope-memory: the plan it is given, the lines it writes, its end."""

import json
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from harness.labs.memory.points import LeftOut, Measured, PagesGot, Point, ThreadChase
from stallscope import __version__
from stallscope.errors import UnableError
from stallscope.json_fields import Fields
from stallscope.programs import program

PLAN_SCHEMA = "stallscope.memory-plan/1"
_PROGRAM = "stallscope-memory"
_REMEDY = "install stallscope again, or in a checkout run ./dev build"


@dataclass(frozen=True, slots=True)
class Pace:
    """How often and how long each point is measured."""

    repeats: int
    repeat_ns: int


def run_points(
    points: Sequence[Point], pace: Pace, on_result: Callable[[Measured | LeftOut], None]
) -> None:
    """Measure the points; each result is passed on as soon as it is known.

    Raises UnableError where the program cannot run or dies, KeyboardInterrupt where it was
    interrupted. Whatever is raised, the program has ended then.
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
            with suppress(BrokenPipeError):  # it ended already, and says why
                process.stdin.write(plan_document(points, pace).encode())
                process.stdin.close()
            for line in process.stdout:
                _pass_on(line, points, on_result)
            _check_end(process.wait(), process.stderr.read(4096))
        except KeyboardInterrupt:
            process.kill()
            for line in process.stdout:  # what it had written and was not read yet
                with suppress(UnableError):  # a line cut off
                    _pass_on(line, points, on_result)
            raise
        finally:
            process.kill()


def plan_document(points: Sequence[Point], pace: Pace) -> str:
    """Return the plan as the program reads it."""
    return json.dumps(
        {
            "schema": PLAN_SCHEMA,
            "repeats": pace.repeats,
            "repeat_ns": pace.repeat_ns,
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
    line: bytes, points: Sequence[Point], on_result: Callable[[Measured | LeftOut], None]
) -> None:
    found = _result(line, points)
    if found is not None:
        on_result(found)


def _result(line: bytes, points: Sequence[Point]) -> Measured | LeftOut | None:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise UnableError(f"{_PROGRAM} wrote a line that is no JSON", _REMEDY) from error
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
        raise UnableError(f"{_PROGRAM} wrote of point {index}, which was not asked for", _REMEDY)
    if event == "skipped":
        return LeftOut(points[index], fields.text("why"))
    threads = tuple(_thread(each) for each in fields.objects("threads"))
    if not threads or not all(thread.latency_ns for thread in threads):
        raise UnableError(f"{_PROGRAM} wrote of point {index} without a latency", _REMEDY)
    return Measured(points[index], threads)


def _thread(fields: Fields) -> ThreadChase:
    pages, by_node = fields.fields("pages"), fields.fields("pages_by_node")
    counts, refused = fields.fields("counts_per_step"), fields.fields("counters_refused")
    return ThreadChase(
        latency_ns=fields.numbers("latency_ns"),
        pages=PagesGot(pages.text("kind"), pages.count("huge_bytes"), pages.count("page_bytes")),
        pages_by_node={int(node): by_node.count(node) for node in by_node.values},
        counts_per_step={name: counts.maybe_number(name) for name in counts.values},
        counters_refused={name: refused.text(name) for name in refused.values},
    )


def _check_end(status: int, messages: bytes) -> None:
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status == 0:
        return
    text = messages.decode("utf-8", "replace").strip()
    first = text.splitlines()[0] if text else f"{_PROGRAM}: error: it ended with status {status}"
    raise UnableError(first.replace(": error", "", 1), "ask for smaller rings, or fewer threads")
