from pathlib import Path

import pytest

from harness.export.metrics.metric import MetricTable
from harness.export.metrics.session import metrics_of
from harness.export.metrics.sources.machine import add_bench, add_idle
from harness.topdown.report import recorded_measurement
from harness.topdown.result import topdown_result
from stallscope.recordings import open_recording
from tests.harness.export.metrics.parsed import values_of
from tests.harness.topdown.counters_recording import MISSING, counters_recording

RECORDINGS = Path("tests/recordings")


@pytest.mark.parametrize("missing", ["", MISSING])
def test_a_node_without_a_value_is_left_out(missing: str, tmp_path: Path) -> None:
    folder = counters_recording(tmp_path / "run", missing=missing)
    result = topdown_result(recorded_measurement(folder))
    values = values_of(metrics_of(open_recording(folder), 20))
    slots = {
        dict(labels)["node"]: value
        for (name, labels), value in values.items()
        if name == "stallscope_topdown_slots_ratio"
    }
    assert slots == {
        name: pytest.approx(node.possible / result.whole)
        for name, node in result.nodes.items()
        if node.level is not None and node.possible is not None
    }
    assert slots
    assert (missing == "") or len(slots) < len(result.nodes)


def test_idle_intervals_of_all_cpus_are_one_histogram_per_state() -> None:
    table = MetricTable()
    add_idle(table, open_recording(RECORDINGS / "idle"))
    counts = [v for (name, _), v in values_of(table).items() if name.endswith("idle_seconds_count")]
    assert sum(counts) > 0


def test_medians_of_benchmark_runs_are_gauges() -> None:
    table = MetricTable()
    add_bench(table, open_recording(RECORDINGS / "bench"))
    assert {family.name for family in table.values} == {
        "bench_wall_seconds",
        "bench_cpu_seconds",
        "bench_max_rss_bytes",
    }
