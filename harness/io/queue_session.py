"""One `stallscope io queue`: reads, counts over the interval, prints."""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from harness.io.queue_document import document
from harness.io.queue_text import lines
from harness.io.queue_watched import Watched
from harness.terminal import LiveLine, colours, width
from ioprobe.block_queue import BlockQueue
from ioprobe.block_queue_reading import Interval, over_interval, read_block_queue
from ioprobe.block_queue_tracing import observe_stalls
from stallscope.errors import ExitCode, UnableError
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class QueueRequest:
    """What is asked for."""

    path: Path
    roots: Roots
    interval_s: float | None


def run_queue(request: QueueRequest, *, as_json: bool) -> int:
    """Return the exit code, once all is printed; Ctrl-C ends the interval and keeps what was."""
    found = read_block_queue(request.path, request.roots)
    watched = None
    if request.interval_s is not None:
        watched = _watch(found, request)
    if as_json:
        click.echo(json.dumps(document(found, watched), allow_nan=False))
    else:
        click.echo("\n".join(lines(found, watched, width())), color=colours())
    return int(ExitCode.DONE)


def _watch(found: BlockQueue, request: QueueRequest) -> Watched:
    counted: list[Interval] = []
    line = LiveLine()

    def count() -> None:
        seconds = request.interval_s or 0.0
        line.show(f"io queue: watching for {seconds:g} s (Ctrl-C ends it earlier)")
        counted.append(over_interval(found.devices, request.roots, seconds=seconds, wait=_wait))

    stalls, missing = None, None
    try:
        if found.place.missing:
            missing = found.place.missing
        else:
            stalls = observe_stalls(found, request.roots, count)
    except UnableError as error:
        missing = f"{error.message}; {error.remedy}"
    finally:
        line.clear()
    if not counted:
        count()
        line.clear()
    return Watched(counted[0], stalls, missing)


def _wait(seconds: float) -> None:
    with suppress(KeyboardInterrupt):
        time.sleep(seconds)
