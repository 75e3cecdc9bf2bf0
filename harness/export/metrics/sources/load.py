"""Metrics of a load: requests, errors, rates, and merged histograms of its logs."""

from collections.abc import Mapping

from harness.export.metrics.buckets import exported
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from stallscope.histograms import IntervalLog
from stallscope.recordings import Manifest, Recording

REQUESTS = MetricFamily("load_requests", "Requests after the warm-up.")
ERRORS = MetricFamily("load_errors", "Requests with an error, by kind.")
MEASURED = MetricFamily("load_measured_seconds", "Time after the warm-up.", unit="s")
CPU = MetricFamily("load_cpu_seconds", "CPU time of the loader.", unit="s")
RATE = MetricFamily("load_requests_per_second", "Achieved rate.", MetricKind.GAUGE)
REQUESTED = MetricFamily(
    "load_requested_requests_per_second", "Requested rate of an open loop.", MetricKind.GAUGE
)
_HISTOGRAM_TEXTS = {
    "latency": "Time from the intended start of a request to its reply",
    "service": "Time from sending a request to its reply",
    "send lag": "Time from the intended start of a request to sending it",
}


def add_load(table: MetricTable, recording: Recording) -> None:
    """Add the metrics of a load. Its logs are left out if their unit is not known."""
    from harness.load.recording import LOGS, read_load  # noqa: PLC0415 - of one kind only

    load = read_load(recording.path)
    result = load.result
    table.add(REQUESTS, result.requests)
    table.add(MEASURED, result.measured_s)
    table.add(CPU, result.cpu_s)
    table.add(RATE, result.achieved_rate_per_s)
    table.add(REQUESTED, result.requested_rate_per_s)
    for kind, count in result.errors_by_kind.items():
        table.add(ERRORS, count, kind=kind)
    if not result.errors_by_kind:
        table.add(ERRORS, result.errors)
    add_logs(
        table, recording.manifest, {name: (LOGS[name], log) for name, log in load.logs.items()}
    )


def add_logs(
    table: MetricTable, manifest: Manifest | None, logs: Mapping[str, tuple[str, IntervalLog]]
) -> None:
    """Add a histogram for each log: its file and content by quantity."""
    units = {} if manifest is None else {file.name: file.format for file in manifest.files}
    for name, (file, log) in logs.items():
        table.notes += log.warnings
        if not units.get(file, "").endswith(", ns"):
            table.notes.append(f"{file} is left out: the recording does not state its unit")
            continue
        merged = log.merged()
        histogram = None if merged is None else exported(merged)
        family = MetricFamily(
            f"load_{name.replace(' ', '_')}_seconds",
            f"{_HISTOGRAM_TEXTS.get(name, name)}.",
            MetricKind.HISTOGRAM,
            "s",
        )
        table.add_histogram(family, None if histogram is None else histogram.scaled(1e-9))
