"""`stallscope export metrics` on a recording of every kind."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from opentelemetry.proto.metrics.v1 import metrics_pb2

from harness.commands.export_metrics import command
from stallscope.documents import encode
from stallscope.errors import RecordingError, StallscopeError, UsageError
from tests.harness.continuous.test_text import RESULT
from tests.harness.export.metrics.parsed import values_of_text

RECORDINGS = Path("tests/recordings")


def run(*words: object) -> bytes:
    result = CliRunner().invoke(command, [str(word) for word in words])
    if isinstance(result.exception, StallscopeError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


@pytest.mark.parametrize(
    ("recording", "metric"),
    [
        (RECORDINGS / "load", "load_latency_seconds_bucket"),
        (RECORDINGS / "bench", "bench_wall_seconds"),
        (RECORDINGS / "idle", "idle_seconds_bucket"),
        (RECORDINGS / "curve", "io_curve_latency_quantile_seconds"),
        (RECORDINGS / "mix", "io_mix_p99_seconds"),
        (RECORDINGS / "probe", "io_probe_latency_seconds_count"),
        (RECORDINGS / "watch", "io_device_seconds_sum"),
        (Path("tests/captures/file.perf"), "function_self_cpu_seconds"),
    ],
)
def test_the_parsers_read_the_metrics_of_a_recording(
    recording: Path, metric: str, tmp_path: Path
) -> None:
    values = values_of_text(run(recording).decode())
    assert f"stallscope_{metric}" in {name for name, _ in values}
    file = tmp_path / "metrics.pb"
    if recording.is_dir():
        assert not run(recording, "--format", "otlp", "-o", file)
        message = metrics_pb2.MetricsData.FromString(file.read_bytes())
        metrics = message.resource_metrics[0].scope_metrics[0].metrics
        families = {metric.name for metric in metrics}
        assert len(families) == len(metrics)
        assert all(any(name.startswith(family) for name, _ in values) for family in families)


def test_times_and_host_of_the_recording_are_stated() -> None:
    values = values_of_text(run(RECORDINGS / "load").decode())
    begin_s = values["stallscope_recording_start_time_seconds", ()]
    assert 1 < values["stallscope_recording_end_time_seconds", ()] - begin_s < 2
    (labels,) = (dict(labels) for name, labels in values if name == "stallscope_recording_info")
    assert (labels["kind"], labels["host"]) == ("load", "host")


def test_a_continuous_recording_has_metrics_of_its_recorder(tmp_path: Path) -> None:
    (tmp_path / "continuous.json").write_text(encode(RESULT))
    values = values_of_text(run(tmp_path).decode())
    assert values["stallscope_recorder_samples", ()] == 83_000
    message = metrics_pb2.MetricsData.FromString(run(tmp_path, "--format", "otlp"))
    metrics = message.resource_metrics[0].scope_metrics[0].metrics
    assert "stallscope_recorder_budget_ratio" in {metric.name for metric in metrics}


def test_otlp_needs_the_times_of_a_recording() -> None:
    with pytest.raises(UsageError, match="does not state its times"):
        run("tests/captures/file.perf", "--format", "otlp")


def test_a_recording_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    shutil.copytree(RECORDINGS / "load", tmp_path / "run")
    manifest = tmp_path / "run" / "recording.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"kind": "moon"}))
    with pytest.raises(RecordingError, match="has the kind 'moon'"):
        run(tmp_path / "run")
