"""A run of `stallscope export metrics`: reads recordings of any kind and writes their metrics."""

from pathlib import Path

from msgspec import Struct

from harness.cli.outputs import check_place, write_whole
from harness.cli.terminal import note
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from harness.export.metrics.options import ExportMetricsOptions, MetricsFormat
from harness.export.metrics.otlp import otlp_bytes
from harness.export.metrics.prometheus import prometheus_text
from harness.export.metrics.recorded import RecordedMetrics, distinct, merged
from harness.export.metrics.sources.continuous import add_continuous
from harness.export.metrics.sources.disk import add_disk
from harness.export.metrics.sources.load import add_load
from harness.export.metrics.sources.machine import add_bench, add_counters, add_idle
from harness.export.metrics.sources.samples import add_samples
from harness.export.metrics.sources.waits import add_requests, add_waits
from harness.fleet.dataset.build import recordings_of
from harness.recordings.kinds import COUNTERS, PROFILE, REQUESTS, WAITS, kind_of
from stallscope.documents import read_document
from stallscope.errors import RecordingError, UsageError
from stallscope.host import read_host
from stallscope.recordings import CONTINUOUS, MANIFEST, Recording, open_recording

INFO = MetricFamily("recording_info", "The recording; the value is 1.", MetricKind.GAUGE)
BEGIN = MetricFamily(
    "recording_start_time_seconds", "Begin, in seconds since 1970.", MetricKind.GAUGE, "s"
)
END = MetricFamily(
    "recording_end_time_seconds", "End, in seconds since 1970.", MetricKind.GAUGE, "s"
)
COMPLETE = MetricFamily(
    "recording_complete", "1 if the recording was closed, else 0.", MetricKind.GAUGE
)


def run_export(options: ExportMetricsOptions) -> None:
    """Write the metrics of recordings, and of the recorders of continuous recordings.

    A damaged recording in a directory of a fleet is left out with a note.
    """
    places = list(dict.fromkeys(place for run in options.runs for place in _places(run)))
    check_place(options.output)
    parts = []
    for place in places:
        try:
            parts.append(_metrics_at(place, options))
        except RecordingError as error:
            if place.host is None:
                raise
            note(f"{place.path} is left out: {error.message}")
    if not parts:
        raise RecordingError("no recording can be read", "record the hosts again")
    parts = distinct(parts)
    table = parts[0].table if places == [Place(options.runs[0])] else merged(parts)
    for text in table.notes:
        note(text)
    is_otlp = options.file_format == MetricsFormat.OTLP
    content = otlp_bytes(parts) if is_otlp else prometheus_text(table)
    write_whole(options.output, [content])


class Place(Struct, frozen=True):
    """A recording to export; ``host``: its directory in that of a fleet."""

    path: Path
    host: str | None = None


def _places(run: Path) -> list[Place]:
    """Return a recording, or the recordings in a directory of a fleet."""
    if run.is_dir() and not (run / CONTINUOUS).is_file() and not (run / MANIFEST).is_file():
        recordings = recordings_of(run)
        if recordings:
            return [Place(path, path.relative_to(run).parts[0]) for path in recordings]
    return [Place(run)]


def _metrics_at(place: Place, options: ExportMetricsOptions) -> RecordedMetrics:
    path = place.path
    if (path / CONTINUOUS).is_file():
        return _recorder_metrics(path)
    recording = open_recording(path)
    period_ns = _period_ns(recording)
    if options.file_format == MetricsFormat.OTLP and period_ns is None:
        error = UsageError if place.host is None else RecordingError
        raise error(
            f"{path} does not state its times, which OTLP metrics need",
            "name a recording of stallscope, or leave out --format otlp",
        )
    host = place.host
    if host is None:
        host = recording.manifest.host_name if recording.manifest is not None else ""
    table = metrics_of(recording, options.top)
    return RecordedMetrics(table, host, recording.name, str(path), period_ns)


def _recorder_metrics(path: Path) -> RecordedMetrics:
    from harness.continuous.result import ContinuousResult  # noqa: PLC0415 - of one kind only

    result = read_document(path / CONTINUOUS, ContinuousResult)
    table = MetricTable()
    add_continuous(table, result)
    period_ns = (result.begin_ns, result.written_ns)
    return RecordedMetrics(table, read_host().hostname, path.name, str(path), period_ns)


def metrics_of(recording: Recording, top: int) -> MetricTable:
    """Return the metrics of a recording; RecordingError if its kind is not known."""
    table = MetricTable()
    kind = kind_of(recording)
    _add_recording(table, recording, kind)
    if kind in (PROFILE, WAITS, REQUESTS):
        add_samples(table, recording, top)
    if kind in (WAITS, REQUESTS):
        add_waits(table, recording, top)
    if kind == REQUESTS:
        add_requests(table, recording)
    elif kind == COUNTERS:
        add_counters(table, recording)
    elif kind == "load":
        add_load(table, recording)
    elif kind == "io":
        add_disk(table, recording, top)
    elif kind == "idle":
        add_idle(table, recording)
    elif kind == "bench":
        add_bench(table, recording)
    elif kind not in (PROFILE, WAITS):
        raise RecordingError(
            f"{recording.path} has the kind {kind!r}, which this stallscope does not know",
            "export it with the version that made it, or a newer one",
        )
    return table


def _add_recording(table: MetricTable, recording: Recording, kind: str) -> None:
    manifest = recording.manifest
    host = manifest.host_name if manifest is not None else ""
    kernel = manifest.kernel_release if manifest is not None else ""
    table.add(INFO, 1, recording=recording.name, kind=kind, host=host, kernel=kernel)
    if manifest is not None:
        table.add(COMPLETE, float(manifest.complete))
    begin_ns = None if manifest is None else manifest.start_realtime_ns
    period_ns = _period_ns(recording)
    table.add(BEGIN, None if begin_ns is None else begin_ns / 1e9)
    table.add(END, None if period_ns is None else period_ns[1] / 1e9)


def _period_ns(recording: Recording) -> tuple[int, int] | None:
    """Return begin and end in nanoseconds since 1970; None if one of them is not known."""
    manifest = recording.manifest
    if manifest is None or manifest.start_realtime_ns is None or manifest.end_ns is None:
        return None
    begin_ns = manifest.start_realtime_ns
    return begin_ns, begin_ns + manifest.end_ns - manifest.start_ns
