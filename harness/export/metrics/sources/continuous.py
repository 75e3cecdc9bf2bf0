"""Metrics of the recorder of a continuous recording: its cost, segments and deliveries."""

from typing import TYPE_CHECKING

from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable

if TYPE_CHECKING:
    from harness.continuous.result import ContinuousResult

RUNNING = MetricFamily(
    "recorder_running", "1 if the recorder had not ended, else 0.", MetricKind.GAUGE
)
WRITTEN = MetricFamily(
    "recorder_written_time_seconds",
    "When these values were written, in seconds since 1970.",
    MetricKind.GAUGE,
    "s",
)
ELAPSED = MetricFamily("recorder_elapsed_seconds", "Time since the start.", unit="s")
COVERED = MetricFamily("recorder_covered_seconds", "Time in which samples were taken.", unit="s")
PAUSED = MetricFamily("recorder_paused_seconds", "Time of pauses to keep the budget.", unit="s")
CPU = MetricFamily(
    "recorder_cpu_seconds",
    "CPU time of the recorder (measured) and of the samples in the kernel (modelled).",
    unit="s",
)
BUDGET = MetricFamily(
    "recorder_budget_ratio", "Largest share of one CPU, 0..1.", MetricKind.GAUGE, "1"
)
USED = MetricFamily("recorder_used_ratio", "Used share of one CPU.", MetricKind.GAUGE, "1")
MEMORY = MetricFamily(
    "recorder_memory_bytes", "Largest memory, without ring buffers.", MetricKind.GAUGE, "By"
)
DISK = MetricFamily("recorder_disk_bytes", "Size of all segments.", MetricKind.GAUGE, "By")
DISK_LIMIT = MetricFamily(
    "recorder_disk_limit_bytes", "Largest size of all segments.", MetricKind.GAUGE, "By"
)
RATE = MetricFamily(
    "recorder_frequency_hertz", "Sampling rate of the last segment.", MetricKind.GAUGE, "Hz"
)
SEGMENTS = MetricFamily("recorder_segments", "Segments on the disk.", MetricKind.GAUGE)
LEFT = MetricFamily("recorder_segments_left_out", "Segments that are not kept, by reason.")
SAMPLES = MetricFamily("recorder_samples", "Samples of all segments.")
LOST = MetricFamily("recorder_lost_samples", "Samples that were lost.")
SENT = MetricFamily("recorder_sent_segments", "Segments that the OTLP receiver took.")
RETRIES = MetricFamily("recorder_send_retries", "Repeated requests to the OTLP receiver.")
DROPPED = MetricFamily("recorder_dropped_segments", "Segments that were not sent, by reason.")


def add_continuous(table: MetricTable, result: "ContinuousResult") -> None:
    """Add the metrics of the state of a continuous recording."""
    cost = result.cost
    table.add(RUNNING, float(result.end == "running"))
    table.add(WRITTEN, result.written_ns / 1e9)
    table.add(ELAPSED, cost.elapsed_s)
    table.add(COVERED, result.covered_s)
    table.add(PAUSED, result.paused_s)
    table.add(CPU, cost.recorder_cpu_s, source="measured")
    table.add(CPU, cost.sampling_cpu_s, source="modelled")
    table.add(BUDGET, cost.budget_share)
    table.add(USED, cost.used_share)
    table.add(MEMORY, cost.memory_bytes or None)  # 0: not read yet
    table.add(DISK, cost.disk_bytes)
    table.add(DISK_LIMIT, cost.disk_limit_bytes)
    table.add(RATE, result.frequency_hz)
    table.add(SEGMENTS, result.segments)
    for reason, count in (
        ("removed", result.removed),
        ("empty", result.empty),
        ("failed", result.failed),
    ):
        table.add(LEFT, count, reason=reason)
    table.add(SAMPLES, result.samples)
    table.add(LOST, result.lost)
    if result.sent is not None:
        table.add(SENT, result.sent.segments)
        table.add(RETRIES, result.sent.retries)
        for row in result.sent.dropped:
            table.add(DROPPED, row.segments, reason=row.reason)
