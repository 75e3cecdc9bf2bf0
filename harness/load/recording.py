"""A recording of a load: the loader's logs and document, and a manifest that tells of them."""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.load.loader import DOCUMENT
from harness.load.options import LoadOptions
from harness.load.results import LoadResult
from harness.outputs import write_whole
from stallscope.errors import UnableError, UsageError
from stallscope.histograms import IntervalLog, read_interval_log
from stallscope.host import Host, read_host
from stallscope.json_fields import read_fields
from stallscope.recordings import FORMAT, MANIFEST

KIND = "load"
LOGS = {"latency": "intended.hlog", "service": "service.hlog", "send lag": "lag.hlog"}


@dataclass(frozen=True, slots=True)
class LoadRecording:
    """What a load's directory holds: the run, and its logs by what they measured."""

    result: LoadResult
    logs: dict[str, IntervalLog]
    settings: Fingerprint | None  # None in recordings made before it was kept


def default_directory() -> Path:
    """Return a new directory's name in the current one, after the time."""
    return Path(f"stallscope-load-{datetime.now().astimezone():%Y%m%d-%H%M%S}")


def make_directory(path: Path, *, force: bool) -> None:
    """Make the directory that a load is recorded in; what is there is replaced only with force.

    Raises UsageError where something else than a load's recording is there.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not force:
            raise UsageError(
                f"{path} is there already", "name another directory with -o, or add --force"
            ) from None
        if not is_load(path):
            raise UsageError(
                f"{path} is no recording of a load, and is not replaced", "name another directory"
            ) from None
        for name in (*LOGS.values(), DOCUMENT):
            (path / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}", "name another with -o") from error


def forget_unbegun(path: Path) -> None:
    """Remove a recording that holds nothing but its manifest: the load never began."""
    with suppress(OSError):
        if [entry.name for entry in path.iterdir()] == [MANIFEST]:
            (path / MANIFEST).unlink()
            path.rmdir()


def write_manifest(
    options: LoadOptions,
    begin_ns: int,
    result: LoadResult | None,
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json: unfinished without a result, else complete."""
    host = read_host()
    now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    since_begin_ns = now_ns - begin_ns
    document = {
        "schema": f"{FORMAT}/1.0",
        "kind": KIND,
        "complete": result is not None,
        "host": host_document(host),
        "command": ["stallscope-load", *options.arguments()],
        "target": {"kind": "command", "command": ["stallscope-load", options.target]},
        "source": {"event": "requests", "kind": "measured", "unit": "requests", "scope": "loader"},
        "clocks": {
            "samples": "CLOCK_MONOTONIC",
            "start_monotonic_ns": begin_ns,
            "start_realtime_ns": time.time_ns() - since_begin_ns,
            "end_monotonic_ns": None if result is None else now_ns,
        },
        "files": [
            {"name": name, "format": "HdrHistogram V2 interval log, ns"} for name in LOGS.values()
        ],
        "settings": settings and settings.document(),
        "warnings": [
            {"code": "loader", "message": text} for text in (result.warnings if result else ())
        ],
        "end": {"reason": "" if result is None else _end_reason(result), "target_status": None},
    }
    write_whole(options.output / MANIFEST, [json.dumps(document, indent=1) + "\n"])


def _end_reason(result: LoadResult) -> str:
    return "signal" if result.document.get("interrupted") is True else "duration"


def host_document(host: Host) -> dict[str, object]:
    """Return what manifests tell of the host."""
    return {
        "hostname": host.hostname,
        "kernel_release": host.kernel_release,
        "kernel_version": host.kernel_version,
        "architecture": host.architecture,
        "cpu_model": host.cpu_model,
        "cpus_online": host.cpus_online,
        "memory_bytes": host.memory_bytes,
        "boot_id": host.boot_id or "",
        "virtualization": host.virtualization,
    }


def is_load(directory: Path) -> bool:
    """Return whether a directory is a recording of a load."""
    manifest = directory / MANIFEST
    return manifest.is_file() and read_fields(manifest).values.get("kind") == KIND


def read_load(directory: Path) -> LoadRecording:
    """Return what a load's recording holds; RecordingError where it is damaged.

    Raises UnableError where the loader had no time to write its document.
    """
    if not (directory / DOCUMENT).is_file():
        raise UnableError(
            f"{directory} holds no {DOCUMENT}: the load was ended before it had a result",
            "run the load again",
        )
    result = LoadResult.of(read_fields(directory / DOCUMENT))
    logs = {what: read_interval_log(directory / name) for what, name in LOGS.items()}
    return LoadRecording(result, logs, read_settings(directory / MANIFEST))


def read_settings(manifest: Path) -> Fingerprint | None:
    """Return what a recording's machine was set to; None where that was not kept."""
    fields = read_fields(manifest)
    kept = fields.values.get("settings") is not None
    return Fingerprint.of(fields.fields("settings")) if kept else None
