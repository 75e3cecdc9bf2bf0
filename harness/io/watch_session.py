"""One `stallscope io watch`: the live line, the document, the recording with its page."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click

from harness.io.recording import (
    IoRun,
    make_directory,
    write_document,
    write_manifest,
)
from harness.io.report import write_io_page
from harness.io.watch_document import document
from harness.io.watch_report import FILES, LOG, log_lines
from harness.io.watch_shown import watch_shown
from harness.io.watch_text import lines, progress_line
from harness.outputs import write_whole
from harness.recording_directory import forget_unbegun
from harness.terminal import LiveLine, colours, note, printable, report_command, width
from ioprobe.watch_devices import all_devices, named_devices
from ioprobe.watching import Watched, WatchRequest, watch
from stallscope.errors import ExitCode
from stallscope.json_fields import Fields
from stallscope.system_files import Roots


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What was asked."""

    devices: tuple[str, ...]
    pids: tuple[int, ...]
    duration_s: float | None
    output: Path | None
    force: bool


def run_watch(options: WatchOptions, *, as_json: bool) -> int:
    """Return the exit code, once all was watched and told."""
    roots = Roots()
    devices, notes = named_devices(options.devices, roots)
    request = WatchRequest(all_devices(roots), devices, frozenset(options.pids), options.duration_s)
    if options.output is None:
        made = document(_watched(request), request, notes)
    else:
        made = _recorded(options.output, request, notes, force=options.force)
    if as_json:
        click.echo(json.dumps(made, allow_nan=False))
        return int(ExitCode.DONE)
    shown = watch_shown(Fields(made, "the watch"))
    click.echo("\n".join(lines(shown, width())), color=colours())
    if options.output is not None:
        click.echo(f"\nrecording  {printable(str(options.output))}")
        note(f"see it with: {report_command(options.output)}")
    return int(ExitCode.DONE)


def _recorded(
    folder: Path, request: WatchRequest, notes: tuple[str, ...], *, force: bool
) -> dict[str, object]:
    """Return the document, once it and its page are written."""
    make_directory(folder, force=force)
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    what = ",".join(each.name for each in request.devices) or "all"
    run = IoRun(folder, "watch", what, begin_ns, FILES)
    write_manifest(run, end=None)
    try:
        watched = _watched(request)
    except BaseException:
        forget_unbegun(folder)
        raise
    made = document(watched, request, notes)
    write_document(run, made)
    names = {each.number: each.name for each in request.known}
    write_whole(folder / LOG, log_lines(watched, names))
    ended = request.duration_s is not None and watched.seconds >= request.duration_s
    write_manifest(run, end="duration" if ended else "signal")
    write_io_page(folder)
    return made | {"recording": str(folder)}


def _watched(request: WatchRequest) -> Watched:
    line = LiveLine()
    with _interruptible() as ends:
        line.show("io watch: tracing block requests (Ctrl-C ends it)")
        try:
            return watch(request, ends.wait, lambda each: line.show(progress_line(each)))
        finally:
            line.clear()


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Let Ctrl-C end the watch, so that what was seen is told; a second one ends the command."""
    ends = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield ends
        return

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        signal.signal(signal.SIGINT, former)
        ends.set()

    former = signal.signal(signal.SIGINT, end)
    try:
        yield ends
    finally:
        signal.signal(signal.SIGINT, former)
