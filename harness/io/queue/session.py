"""A run of `stallscope io queue`: reads the queue, measures an interval, records and prints."""

import time

from harness.cli.terminal import LiveLine, width
from harness.io.queue.options import QueueOptions
from harness.io.queue.panel import panels
from harness.io.queue.result import IntervalMeasurement, queue_result
from harness.io.queue.text import lines
from harness.io.recorder import Recorder
from ioprobe.block_queue.activity import ActivityInterval, measure_activity
from ioprobe.block_queue.queue import BlockQueue
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.block_queue.tracing import trace_stalls
from stallscope.errors import ExitCode, UnableError


def run_queue(options: QueueOptions, *, as_json: bool) -> int:
    """Return the exit code after the queue was read and printed; Ctrl-C ends the interval."""
    roots, has_interval = options.roots, options.interval_s is not None
    with Recorder(
        "queue",
        str(options.path),
        options.output,
        force=options.force,
        has_settings=has_interval,
    ) as recorder:
        block_queue = read_block_queue(options.path, roots)
        measurement = None
        if options.interval_s is not None:
            measurement = _measure(block_queue, options, options.interval_s)
        result = queue_result(block_queue, measurement, None if roots.is_live else roots.sys)
        result = recorder.keep(result, panels(result))
    recorder.show(result, lines(result, width()), as_json=as_json)
    return int(ExitCode.DONE)


def _measure(block_queue: BlockQueue, options: QueueOptions, seconds: float) -> IntervalMeasurement:
    activity: list[ActivityInterval] = []
    interrupted = False
    live = LiveLine()

    def wait(duration_s: float) -> None:
        nonlocal interrupted
        end_s = time.monotonic() + duration_s
        try:
            while (left_s := end_s - time.monotonic()) > 0:
                live.show(f"io queue: measuring, {left_s:.0f} s left (Ctrl-C ends it earlier)")
                time.sleep(min(1.0, left_s))
        except KeyboardInterrupt:
            interrupted = True

    def count() -> None:
        activity.append(
            measure_activity(block_queue.devices, options.roots, seconds=seconds, wait=wait)
        )

    stalls, missing = None, None
    try:
        if block_queue.location.missing:
            missing = block_queue.location.missing
        else:
            stalls = trace_stalls(block_queue, options.roots, count)
    except UnableError as error:
        missing = f"{error.message}; {error.remedy}"
    finally:
        live.clear()
    if not activity:
        count()
        live.clear()
    return IntervalMeasurement(
        activity=activity[0], stalls=stalls, stalls_missing=missing, complete=not interrupted
    )
