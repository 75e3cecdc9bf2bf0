"""A run of `stallscope io watch`: watches with a live line, records and prints."""

import threading

from harness.cli.terminal import LiveLine, width
from harness.io.recorder import RecordedFile, Recorder
from harness.io.watch.interval_log import LOG, LOG_FORMAT, log_lines
from harness.io.watch.options import WatchOptions
from harness.io.watch.panel import panels
from harness.io.watch.result import watch_result
from harness.io.watch.text import lines, progress_line
from ioprobe.watch.devices import all_devices, named_devices
from ioprobe.watch.tracing import WatchMeasurement, WatchScope, watch
from stallscope.errors import ExitCode
from stallscope.interrupts import count_interrupts
from stallscope.system_files import Roots


def run_watch(options: WatchOptions, *, as_json: bool) -> int:
    """Return the exit code after the watch was recorded and printed."""
    roots = Roots()
    devices, notes = named_devices(options.devices, roots)
    scope = WatchScope(all_devices(roots), devices, frozenset(options.pids), options.duration_s)
    subject = ",".join(device.name for device in devices) or "all"
    with Recorder("watch", subject, options.output, force=options.force) as recorder:
        measurement = _measure(scope)
        result = watch_result(measurement, scope, notes)
        names = {device.number: device.name for device in scope.known}
        log = "".join(log_lines(measurement, names)) if recorder.folder else ""
        is_timed = scope.duration_s is not None and result.complete
        result = recorder.keep(
            result,
            panels(result),
            {LOG: RecordedFile(LOG_FORMAT, log)},
            end="duration" if is_timed else "signal",
        )
    recorder.show(result, lines(result, width()), as_json=as_json)
    return int(ExitCode.DONE)


def _measure(scope: WatchScope) -> WatchMeasurement:
    """Return the watch; the first Ctrl-C ends it, a second one the command."""
    live, stop = LiveLine(), threading.Event()
    with count_interrupts(stop.set):
        live.show("io watch: tracing block requests (Ctrl-C ends it)")
        try:
            return watch(scope, stop.wait, lambda progress: live.show(progress_line(progress)))
        finally:
            live.clear()
