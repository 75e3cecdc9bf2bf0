"""A run of `stallscope fleet record`: the same recording on many hosts, some at a time."""

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

from harness.fleet.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.result import FleetRecordResult, HostRecording
from harness.fleet.remote import RemoteError, RemoteHost
from stallscope import __version__
from stallscope.errors import OutputError, StallscopeError
from stallscope.programs import program
from stallscope.recordings import MANIFEST, open_recording

_PART = ".part"  # a recording that is being fetched


def record_fleet(
    options: FleetRecordOptions, on_host: Callable[[HostRecording], None]
) -> FleetRecordResult:
    """Record on all hosts; ``on_host`` is called with each as it ends.

    A host whose recording is complete from an earlier run is kept. A host that fails costs its own
    recording only.
    """
    try:
        options.output.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot create {options.output}: {error.strerror}", "choose another directory with -o"
        ) from error
    rows: dict[str, HostRecording] = {}
    executor = ThreadPoolExecutor(options.parallel)
    try:
        waiting = {executor.submit(_record, host, options): host for host in options.hosts}
        for future in as_completed(waiting):
            row = future.result()
            rows[row.name] = row
            on_host(row)
    finally:
        executor.shutdown(wait=True, cancel_futures=sys.exc_info()[0] is not None)
    return FleetRecordResult(
        directory=str(options.output), hosts=tuple(rows[host.name] for host in options.hosts)
    )


def _record(host: Host, options: FleetRecordOptions) -> HostRecording:
    begin_s = time.monotonic()
    target = options.output / host.name
    status, reason = "recorded", ""
    try:
        if _is_complete(target):
            status = "kept"
        else:
            _record_new(host, options, target)
    except StallscopeError as error:
        status, reason = "failed", error.message
    except OSError as error:
        status, reason = "failed", f"{error.strerror}: {error.filename}"
    return HostRecording(
        name=host.name,
        destination=host.destination,
        status=status,
        recording=None if status == "failed" else str(target),
        reason=reason,
        seconds=time.monotonic() - begin_s,
    )


def _is_complete(target: Path) -> bool:
    if not (target / MANIFEST).exists():
        return False
    with suppress(StallscopeError):
        manifest = open_recording(target).manifest
        return manifest is not None and manifest.complete
    return False


def _record_new(host: Host, options: FleetRecordOptions, target: Path) -> None:
    remote = RemoteHost(host.destination, options.ssh)
    directory, version = remote.prepare(program("stallscope-collect"))
    try:
        if version.split()[1:2] != [__version__]:
            raise RemoteError(
                f"{host.destination}: the collector there is {version[:100]!r}, not {__version__}",
                "remove the old one, and try again",
            )
        remote.collect(directory, options.arguments, options.limit_s)
        part = target.with_name(target.name + _PART)
        _remove_tree(part)
        remote.fetch(directory, part, options.max_bytes)
        open_recording(part)
        _remove_tree(target)
        part.rename(target)
    finally:
        with suppress(RemoteError):
            remote.remove(directory)


def _remove_tree(path: Path) -> None:
    import shutil  # noqa: PLC0415 - rarely needed

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
