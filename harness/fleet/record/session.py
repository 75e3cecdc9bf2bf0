"""A run of `stallscope fleet record`: hosts in parallel, finished ones are kept."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from harness.cli.outputs import output_error
from harness.fleet.record.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.remote import CollectorFile, collector_file, record_host
from harness.fleet.record.result import FleetRecordResult, HostRecording
from stallscope.errors import ExitCode, StallscopeError
from stallscope.interrupts import count_interrupts
from stallscope.output_place import make_output_directory
from stallscope.programs import program
from stallscope.recordings import Recording, open_recording


def record_fleet(options: FleetRecordOptions) -> tuple[FleetRecordResult, int]:
    """Return the hosts with their recordings, and the exit code: 4 if a host failed.

    A host whose complete recording is in the output directory is kept. Ctrl-C ends all
    connections; what was fetched until then is kept.
    """
    collector = collector_file(options.collector or program("stallscope-collect"))
    try:
        with suppress(FileExistsError):  # an earlier run, which is continued
            make_output_directory(options.output.absolute())
    except OSError as error:
        raise output_error(options.output, error) from error
    stop = threading.Event()

    def record(host: Host) -> HostRecording:
        return _host_recording(host, options, collector, stop)

    with ThreadPoolExecutor(options.parallel) as executor, count_interrupts(stop.set):
        hosts = tuple(executor.map(record, options.hosts))
    result = FleetRecordResult(directory=str(options.output), hosts=hosts)
    return result, int(ExitCode.TARGET_FAILED if result.failed else ExitCode.DONE)


def _host_recording(
    host: Host, options: FleetRecordOptions, collector: CollectorFile, stop: threading.Event
) -> HostRecording:
    complete = _complete(options.output / host.folder)
    if complete is not None:
        return _row(host, "kept", complete, None)
    if stop.is_set():
        return HostRecording(host=host.text, status="failed", error="interrupted")
    try:
        recording, seconds = record_host(host, options, collector, stop)
    except StallscopeError as error:
        return HostRecording(host=host.text, status="failed", error=error.message)
    except OSError as error:
        return HostRecording(host=host.text, status="failed", error=error.strerror or str(error))
    return _row(host, "recorded", recording, seconds)


def _row(host: Host, status: str, recording: Recording, seconds: float | None) -> HostRecording:
    assert recording.manifest is not None
    size = sum(path.stat().st_size for path in recording.path.iterdir() if path.is_file())
    return HostRecording(
        host=host.text,
        status=status,
        recording=str(recording.path),
        samples=recording.manifest.samples,
        bytes=size,
        seconds=seconds,
    )


def _complete(path: Path) -> Recording | None:
    try:
        recording = open_recording(path)
    except StallscopeError:
        return None
    assert recording.manifest is not None
    return recording if recording.manifest.complete else None
