"""One `stallscope io watch`: the live line, the document, the recording with its page."""

import threading
from dataclasses import dataclass
from pathlib import Path

from harness.cli.terminal import LiveLine, width
from harness.io.recorder import Recorder
from harness.io.watch.document import document
from harness.io.watch.report import LOG, LOG_FORM, log_lines
from harness.io.watch.shown import watch_shown
from harness.io.watch.text import lines, progress_line
from ioprobe.watch.devices import all_devices, named_devices
from ioprobe.watch.tracing import WatchMeasurement, WatchScope, watch
from stallscope.errors import ExitCode
from stallscope.interrupts import count_interrupts
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
    request = WatchScope(all_devices(roots), devices, frozenset(options.pids), options.duration_s)
    what = ",".join(each.name for each in devices) or "all"
    with Recorder("watch", what, options.output, force=options.force) as recorder:
        watched = _watched(request)
        made = document(watched, request, notes)
        names = {each.number: each.name for each in request.known}
        log = "".join(log_lines(watched, names)) if recorder.folder else ""
        files = {LOG: (LOG_FORM, log)}
        in_time = request.duration_s is not None and made["complete"]
        recorder.keep_document(made, files, (), end="duration" if in_time else "signal")
    recorder.tell(made, lines(watch_shown(Fields(made, "the watch")), width()), as_json=as_json)
    return int(ExitCode.DONE)


def _watched(request: WatchScope) -> WatchMeasurement:
    """Return what was watched; the first Ctrl-C ends it, a second one the command."""
    line, ends = LiveLine(), threading.Event()
    with count_interrupts(ends.set):
        line.show("io watch: tracing block requests (Ctrl-C ends it)")
        try:
            return watch(request, ends.wait, lambda each: line.show(progress_line(each)))
        finally:
            line.clear()
