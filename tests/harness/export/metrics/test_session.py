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


KINDS = ("load", "bench", "idle", "curve", "mix", "probe", "watch")


def test_recordings_of_all_kinds_are_exported_together(tmp_path: Path) -> None:
    runs = [RECORDINGS / name for name in KINDS]
    values = values_of_text(run(*runs, Path("tests/captures/file.perf")).decode())
    assert len(values) == sum(len(values_of_text(run(place).decode())) for place in runs) + len(
        values_of_text(run("tests/captures/file.perf").decode())
    )
    recordings = {dict(labels)["recording"] for _, labels in values}
    assert recordings == {*KINDS, "file.perf"}
    message = metrics_pb2.MetricsData.FromString(run(*runs, "--format", "otlp"))
    resources = [
        {row.key: row.value.string_value for row in part.resource.attributes}
        for part in message.resource_metrics
    ]
    assert [row["service.instance.id"] for row in resources] == list(KINDS)
    assert {row["host.name"] for row in resources} == {"host"}


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Return a directory of a fleet with the hosts a, b with two recordings, and c, damaged."""
    for place in ("a", "b/first", "b/second", "c"):
        shutil.copytree(RECORDINGS / "load", tmp_path / place)
    (tmp_path / "c/recording.json").write_text("{")
    return tmp_path


def test_the_hosts_of_a_fleet_are_labels_and_a_damaged_recording_is_named(fleet: Path) -> None:
    result = CliRunner().invoke(command, [str(fleet)])
    assert result.exit_code == 0
    assert f"{fleet}/c is left out: " in result.stderr
    values = values_of_text(result.stdout)
    requests = {
        (dict(labels)["host"], dict(labels)["recording"])
        for name, labels in values
        if name == "stallscope_load_latency_seconds_count"
    }
    assert requests == {("a", "a"), ("b", "first"), ("b", "second")}
    message = metrics_pb2.MetricsData.FromString(run(fleet, "--format", "otlp"))
    hosts = [part.resource.attributes[1].value.string_value for part in message.resource_metrics]
    assert hosts == ["a", "b", "b"]


def test_a_damaged_recording_that_is_named_is_an_error(fleet: Path) -> None:
    with pytest.raises(RecordingError):
        run(fleet / "a", fleet / "c")
    shutil.rmtree(fleet / "a")
    shutil.rmtree(fleet / "b")
    with pytest.raises(RecordingError, match="no recording can be read"):
        run(fleet)


def test_a_recording_that_is_named_twice_is_exported_once() -> None:
    run_twice = run(RECORDINGS / "load", RECORDINGS / "load")
    assert run_twice == run(RECORDINGS / "load")


def test_otlp_needs_the_times_of_a_recording() -> None:
    with pytest.raises(UsageError, match="does not state its times"):
        run("tests/captures/file.perf", "--format", "otlp")


def test_a_recording_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    shutil.copytree(RECORDINGS / "load", tmp_path / "run")
    manifest = tmp_path / "run" / "recording.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"kind": "moon"}))
    with pytest.raises(RecordingError, match="has the kind 'moon'"):
        run(tmp_path / "run")
