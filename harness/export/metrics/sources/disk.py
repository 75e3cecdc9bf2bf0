"""Metrics of disk measurements: probe, curve, mix, queue and watch."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from harness.export.metrics.buckets import exported_rows
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from harness.recordings.results import RecordedResult
from stallscope.documents import read_document
from stallscope.recordings import Recording

if TYPE_CHECKING:
    from harness.io.curve.result import CurveResult
    from harness.io.mix.result import MixResult
    from harness.io.probe.result import ProbeResult
    from harness.io.queue.result import QueueResult
    from harness.io.watch.result import WatchResult
    from ioprobe.engine.points import Latency

Result = TypeVar("Result", bound=RecordedResult)
READS = MetricFamily("io_probe_reads", "Reads of a probe.")
READ_RATE = MetricFamily("io_probe_reads_per_second", "Reads per second.", MetricKind.GAUGE)
READ_LATENCY = MetricFamily(
    "io_probe_latency_seconds", "Latency of one read at a time.", MetricKind.HISTOGRAM, "s"
)
CURVE_RATE = MetricFamily(
    "io_curve_requests_per_second", "Requests per second by depth.", MetricKind.GAUGE
)
CURVE_LATENCY = MetricFamily(
    "io_curve_latency_quantile_seconds", "Latency by depth.", MetricKind.GAUGE, "s"
)
CURVE_DEPTH = MetricFamily(
    "io_curve_recommended_depth", "Recommended queue depth, by goal.", MetricKind.GAUGE
)
MIX_MAX = MetricFamily(
    "io_mix_max_requests_per_second", "Rate of one direction alone.", MetricKind.GAUGE
)
MIX_LATENCY = MetricFamily(
    "io_mix_p99_seconds",
    "99th percentile of latency at shares of the rates of reads and writes.",
    MetricKind.GAUGE,
    "s",
)
BUSY = MetricFamily(
    "io_queue_busy_ratio", "Share of time with a request on the device.", MetricKind.GAUGE, "1"
)
IN_FLIGHT = MetricFamily("io_queue_in_flight", "Mean requests in flight.", MetricKind.GAUGE)
BYTES_RATE = MetricFamily("io_queue_bytes_per_second", "Bytes per second.", MetricKind.GAUGE, "By")
REQUESTS = MetricFamily("io_requests", "Block requests by device and direction.")
BYTES = MetricFamily("io_bytes", "Bytes of block requests.", unit="By")
ERRORS = MetricFamily("io_errors", "Block requests with an error.")
DEVICE_TIME = MetricFamily(
    "io_device_seconds", "Time of requests on the device.", MetricKind.HISTOGRAM, "s"
)
QUEUE_TIME = MetricFamily(
    "io_queue_seconds", "Time of requests in the queue.", MetricKind.HISTOGRAM, "s"
)
PROCESS_REQUESTS = MetricFamily("io_process_requests", "Block requests by process name.")
LOST = MetricFamily("io_lost_events", "Events that the kernel lost.")


def add_disk(table: MetricTable, recording: Recording, top: int) -> None:
    """Add the metrics of every result in a recording of disk measurements."""
    from harness.io.curve.result import CurveResult  # noqa: PLC0415 - of one kind only
    from harness.io.mix.result import MixResult  # noqa: PLC0415
    from harness.io.probe.result import ProbeResult  # noqa: PLC0415
    from harness.io.queue.result import QueueResult  # noqa: PLC0415
    from harness.io.watch.result import WatchResult  # noqa: PLC0415

    folder = recording.path
    _read(folder / "probe.json", ProbeResult, lambda result: add_probe(table, result))
    _read(folder / "curve.json", CurveResult, lambda result: add_curve(table, result))
    _read(folder / "mix.json", MixResult, lambda result: add_mix(table, result))
    _read(folder / "queue.json", QueueResult, lambda result: add_queue(table, result))
    _read(folder / "watch.json", WatchResult, lambda result: add_watch(table, result, top))


def _read(file: Path, kind: "type[Result]", add: "Callable[[Result], None]") -> None:
    if file.is_file():
        add(read_document(file, kind))


def add_probe(table: MetricTable, result: "ProbeResult") -> None:
    """Add the reads of a probe by path: direct, or through the page cache."""
    for path, reads in result.reads.items():
        table.add(READS, reads.requests, path=path, source=result.source)
        table.add(READ_RATE, reads.iops, path=path, source=result.source)
        histogram = exported_rows(reads.histogram)
        table.add_histogram(
            READ_LATENCY,
            None if histogram is None else histogram.scaled(1e-9),
            path=path,
            source=result.source,
        )


def add_curve(table: MetricTable, result: "CurveResult") -> None:
    """Add rate and latency by depth."""
    for point in result.points:
        labels = {"depth": point.depth, "source": result.source}
        table.add(CURVE_RATE, point.iops, **labels)
        for quantile, time_ns in _quantiles(point.latency_ns).items():
            table.add(CURVE_LATENCY, time_ns / 1e9, quantile=quantile, **labels)
    recommended = result.recommended
    table.add(CURVE_DEPTH, recommended.latency_optimal, goal="latency", source=result.source)
    table.add(CURVE_DEPTH, recommended.knee, goal="knee", source=result.source)
    table.add(CURVE_DEPTH, recommended.slo, goal="p99", source=result.source)


def _quantiles(latency: "Latency | None") -> dict[str, float]:
    if latency is None:
        return {}
    return {"0.5": latency.p50, "0.9": latency.p90, "0.99": latency.p99, "0.999": latency.p999}


def add_mix(table: MetricTable, result: "MixResult") -> None:
    """Add the rates of reads and writes alone, and the latency of both together."""
    table.add(MIX_MAX, result.max_reads_per_s, direction="reads", source=result.source)
    table.add(MIX_MAX, result.max_writes_per_s, direction="writes", source=result.source)
    for cell in result.cells:
        labels = {
            "of_max_reads": f"{cell.of_max_reads:g}",
            "of_max_writes": f"{cell.of_max_writes:g}",
            "source": result.source,
        }
        for direction, latency in (
            ("reads", cell.read_latency_ns),
            ("writes", cell.write_latency_ns),
        ):
            if latency is not None:
                table.add(MIX_LATENCY, latency.p99 / 1e9, direction=direction, **labels)


def add_queue(table: MetricTable, result: "QueueResult") -> None:
    """Add the activity of the devices, which is measured over an interval only."""
    for device in result.devices:
        activity = device.over_interval
        if activity is None:
            continue
        table.add(BUSY, activity.busy_share, device=device.name)
        table.add(IN_FLIGHT, activity.mean_in_flight, device=device.name)
        rates = {"read": activity.read_bytes_per_s, "write": activity.written_bytes_per_s}
        for direction, rate in rates.items():
            table.add(BYTES_RATE, rate, device=device.name, direction=direction)


def add_watch(table: MetricTable, result: "WatchResult", top: int) -> None:
    """Add requests by device and direction, and those of the ``top`` processes."""
    table.add(LOST, result.lost.events)
    for row in result.rows:
        labels = {"device": row.device, "direction": row.direction}
        table.add(REQUESTS, row.requests, **labels)
        table.add(BYTES, row.bytes, **labels)
        for error, count in row.errors.items():
            table.add(ERRORS, count, error=error, **labels)
        for family, buckets in ((DEVICE_TIME, row.histogram), (QUEUE_TIME, row.queue_histogram)):
            histogram = exported_rows(buckets)
            table.add_histogram(
                family, None if histogram is None else histogram.scaled(1e-9), **labels
            )
    for process in result.processes[:top]:
        table.add(
            PROCESS_REQUESTS,
            process.requests,
            process=process.name or process.label,
            device=process.device,
            direction=process.direction,
        )
    table.note_left_out("rows of processes", len(result.processes) - top)
