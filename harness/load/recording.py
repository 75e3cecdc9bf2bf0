"""The recording of a load: the loader's logs and result, and the manifest."""

from dataclasses import dataclass
from pathlib import Path

from cstates.fingerprint import Fingerprint
from harness.recordings import directory as recording_directory
from harness.recordings.manifest import LoadManifest
from harness.recordings.settings import recorded_settings
from harness.workload.loader import DOCUMENT
from harness.workload.options import LoadOptions
from harness.workload.results import LoadResult
from stallscope.documents import read_document
from stallscope.errors import UnableError
from stallscope.histograms import IntervalLog, read_interval_log
from stallscope.recordings import Notice, RecordedEnd, RecordedEvent, RecordedFile, Target

KIND = "load"
PAGE = "report.html"
LOG_FORMAT = "HdrHistogram V2 interval log, ns"
LOGS = {"latency": "intended.hlog", "service": "service.hlog", "send lag": "lag.hlog"}


@dataclass(frozen=True, slots=True)
class LoadRecording:
    """The result of a load, and its logs by quantity."""

    result: LoadResult
    logs: dict[str, IntervalLog]
    settings: Fingerprint | None  # None in recordings of early versions


def make_directory(path: Path, *, force: bool) -> None:
    """Create the directory of the recording; with force an existing recording is replaced.

    Raises UsageError if the path holds anything else than the recording of a load.
    """
    files = (*LOGS.values(), DOCUMENT)
    recording_directory.make_directory(
        path, KIND, subject="a load", force=force, own_files=lambda _: files
    )


def write_manifest(
    options: LoadOptions,
    begin_ns: int,
    result: LoadResult | None,
    settings: Fingerprint | None = None,
) -> None:
    """Write recording.json: incomplete without a result, else complete."""
    reason = ""
    if result is not None:
        reason = "signal" if result.interrupted else "duration"
    manifest = LoadManifest(
        command=("stallscope-load", *options.arguments()),
        target=Target("command", command=("stallscope-load", options.target)),
        source=RecordedEvent(event="requests", unit="requests", scope="loader"),
        files=tuple(RecordedFile(name=name, format=LOG_FORMAT) for name in LOGS.values()),
        settings=settings,
        warnings=tuple(Notice("loader", text) for text in (result.warnings if result else ())),
        end=RecordedEnd(reason=reason),
    )
    recording_directory.write_manifest(
        options.output, manifest, begin_ns=begin_ns, ended=result is not None
    )


def read_load(directory: Path) -> LoadRecording:
    """Return the recording of a load; raises RecordingError if it is damaged.

    Raises UnableError if the load ended before the loader wrote its result.
    """
    if not (directory / DOCUMENT).is_file():
        raise UnableError(
            f"{directory} has no {DOCUMENT}: the load ended before it had a result",
            "run the load again",
        )
    result = read_document(directory / DOCUMENT, LoadResult)
    logs = {name: read_interval_log(directory / file) for name, file in LOGS.items()}
    return LoadRecording(result, logs, recorded_settings(directory))
