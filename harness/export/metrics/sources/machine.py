"""Metrics of counters (pipeline slots), of idle intervals, and of benchmark runs."""

from typing import TYPE_CHECKING

from harness.export.metrics.buckets import exported
from harness.export.metrics.metric import MetricFamily, MetricKind, MetricTable
from stallscope.recordings import Recording

if TYPE_CHECKING:
    from harness.bench.run.result import BenchRunResult
    from harness.cstates.record.result import IdleResult
    from harness.topdown.result import TopdownResult

SLOTS = MetricFamily(
    "topdown_slots_ratio", "Share of pipeline slots by node, 0..1.", MetricKind.GAUGE, "1"
)
IPC = MetricFamily("topdown_instructions_per_cycle", "Instructions per cycle.", MetricKind.GAUGE)
INSTRUCTIONS = MetricFamily("topdown_instructions", "Instructions.")
CYCLES = MetricFamily("topdown_cycles", "Cycles.")
IDLE = MetricFamily(
    "idle_seconds", "Lengths of idle intervals by state.", MetricKind.HISTOGRAM, "s"
)
WAKE_UPS = MetricFamily("idle_wake_ups", "Ends of idle intervals by state and cause.")
TOO_DEEP = MetricFamily("idle_too_deep", "Idle intervals too short for their state.")
WALL = MetricFamily("bench_wall_seconds", "Median wall time of a run.", MetricKind.GAUGE, "s")
CPU = MetricFamily("bench_cpu_seconds", "Median CPU time of a run.", MetricKind.GAUGE, "s")
MEMORY = MetricFamily(
    "bench_max_rss_bytes", "Median of the largest resident memory.", MetricKind.GAUGE, "By"
)


def add_counters(table: MetricTable, recording: Recording) -> None:
    """Add the slots of a recording of counters."""
    from harness.topdown.report import recorded_measurement  # noqa: PLC0415 - of one kind only
    from harness.topdown.result import topdown_result  # noqa: PLC0415

    add_slots(table, topdown_result(recorded_measurement(recording.path)))


def add_slots(table: MetricTable, result: "TopdownResult") -> None:
    """Add the nodes of the tree that have a possible value."""
    labels = {"cpu": result.cpu, "source": result.kind}
    for name, node in result.nodes.items():
        if node.level is not None and node.possible is not None:
            table.add(SLOTS, node.possible / result.whole, node=name, level=node.level, **labels)
    if result.ipc is not None:
        table.add(IPC, result.ipc.value, **labels)
        table.add(INSTRUCTIONS, result.ipc.instructions, **labels)
        table.add(CYCLES, result.ipc.cycles, **labels)


def add_idle(table: MetricTable, recording: Recording) -> None:
    """Add the idle intervals of all CPUs by state."""
    from harness.cstates.record.files import read_result  # noqa: PLC0415 - of one kind only

    add_idle_result(table, read_result(recording.path))


def add_idle_result(table: MetricTable, result: "IdleResult") -> None:
    """Add the metrics of a document."""
    from cstates.idle.length_counts import histogram_of  # noqa: PLC0415 - of one kind only

    counts: dict[int, dict[int, int]] = {}
    for row in result.idle:
        state = counts.setdefault(row.state, {})
        for bucket, count in row.lengths.counts.items():
            state[bucket] = state.get(bucket, 0) + count
    for number, buckets in sorted(counts.items()):
        histogram = exported(histogram_of(buckets))
        table.add_histogram(
            IDLE, None if histogram is None else histogram.scaled(1e-9), state=number
        )
    for wake in result.wakes:
        table.add(WAKE_UPS, wake.wakes, state=wake.state, cause=wake.wake)
        table.add(TOO_DEEP, wake.too_deep, state=wake.state, cause=wake.wake)


def add_bench(table: MetricTable, recording: Recording) -> None:
    """Add the medians of benchmark runs."""
    from harness.bench.run.recording import read_result  # noqa: PLC0415 - of one kind only

    add_bench_result(table, read_result(recording.path))


def add_bench_result(table: MetricTable, result: "BenchRunResult") -> None:
    """Add the metrics of a document."""
    for command in result.commands:
        wall_ns, cpu_us = command.wall_ns.median, command.cpu_us.median
        table.add(WALL, None if wall_ns is None else wall_ns / 1e9, command=command.name)
        table.add(CPU, None if cpu_us is None else cpu_us / 1e6, command=command.name)
        table.add(MEMORY, command.max_rss_bytes.median, command=command.name)
