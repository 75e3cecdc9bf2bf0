"""One `stallscope io queue`: reads, counts over the interval, records, prints."""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from harness.cli.terminal import LiveLine, width
from harness.io.queue.document import document
from harness.io.queue.shown import queue_shown
from harness.io.queue.stalls import Watched
from harness.io.queue.text import lines
from harness.io.recorder import Recorder
from ioprobe.block_queue.activity import ActivityInterval, measure_activity
from ioprobe.block_queue.queue import BlockQueue
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.block_queue.tracing import trace_stalls
from stallscope.errors import ExitCode, UnableError
from stallscope.json_fields import Fields
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class QueueRequest:
    """What is asked for."""

    path: Path
    roots: Roots
    interval_s: float | None
    output: Path | None = None
    force: bool = False


def run_queue(request: QueueRequest, *, as_json: bool) -> int:
    """Return the exit code, once all is printed; Ctrl-C ends the interval and keeps what was."""
    path = str(request.path)
    watches = request.interval_s is not None
    with Recorder("queue", path, request.output, force=request.force, ran_here=watches) as recorder:
        found = read_block_queue(request.path, request.roots)
        watched = None
        if request.interval_s is not None:
            watched = _watch(found, request, request.interval_s)
        recorded_at = None if request.roots.is_live else request.roots.sys
        made = json.loads(json.dumps(document(found, watched, recorded_at)))
        recorder.keep_document(made, {}, ())
    recorder.tell(made, lines(queue_shown(Fields(made, "the queue")), width()), as_json=as_json)
    return int(ExitCode.DONE)


def _watch(found: BlockQueue, request: QueueRequest, seconds: float) -> Watched:
    counted: list[ActivityInterval] = []
    interrupted = False
    line = LiveLine()

    def wait(wanted_s: float) -> None:
        nonlocal interrupted
        until_s = time.monotonic() + wanted_s
        try:
            while (left_s := until_s - time.monotonic()) > 0:
                line.show(f"io queue: watching, {left_s:.0f} s left (Ctrl-C ends it earlier)")
                time.sleep(min(1.0, left_s))
        except KeyboardInterrupt:
            interrupted = True

    def count() -> None:
        counted.append(measure_activity(found.devices, request.roots, seconds=seconds, wait=wait))

    stalls, missing = None, None
    try:
        if found.location.missing:
            missing = found.location.missing
        else:
            stalls = trace_stalls(found, request.roots, count)
    except UnableError as error:
        missing = f"{error.message}; {error.remedy}"
    finally:
        line.clear()
    if not counted:
        count()
        line.clear()
    return Watched(counted[0], stalls, missing, interrupted)
