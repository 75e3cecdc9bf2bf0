"""A recording of a load: the loader's logs and document, and a manifest that tells of them."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.recordings import directory as recording_directory
from harness.recordings.settings import recorded_settings
from harness.workload.loader import DOCUMENT
from harness.workload.options import LoadOptions
from harness.workload.results import LoadResult
from stallscope.errors import UnableError
from stallscope.histograms import IntervalLog, read_interval_log
from stallscope.json_fields import read_fields

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
    files = (*LOGS.values(), DOCUMENT)
    recording_directory.make_directory(
        path, KIND, what="a load", force=force, own_files=lambda _: files
    )


def write_manifest(
    options: LoadOptions,
    begin_ns: int,
    result: LoadResult | None,
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json: unfinished without a result, else complete."""
    own = {
        "command": ["stallscope-load", *options.arguments()],
        "target": {"kind": "command", "command": ["stallscope-load", options.target]},
        "source": {"event": "requests", "kind": "measured", "unit": "requests", "scope": "loader"},
        "files": [
            {"name": name, "format": "HdrHistogram V2 interval log, ns"} for name in LOGS.values()
        ],
        "settings": settings and settings.document(),
        "warnings": [
            {"code": "loader", "message": text} for text in (result.warnings if result else ())
        ],
        "end": {"reason": "" if result is None else _end_reason(result), "target_status": None},
    }
    recording_directory.write_manifest(
        options.output, KIND, begin_ns=begin_ns, ended=result is not None, own=own
    )


def _end_reason(result: LoadResult) -> str:
    return "signal" if result.document.get("interrupted") is True else "duration"


def is_load(directory: Path) -> bool:
    """Return whether a directory is a recording of a load."""
    return recording_directory.is_recording_of(KIND, directory)


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
    return LoadRecording(result, logs, recorded_settings(directory))
