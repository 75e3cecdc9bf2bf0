"""Continuous recordings of a real target: budget, rotation, ends, and a receiver of OTLP profiles."""

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2

from stallscope._native import read_capture
from stallscope.recordings import open_recording
from tests.harness.continuous.profile_receiver import receiver

LIMIT_S = 60


def _start(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "stallscope", "record", "--continuous", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _record(*words: object) -> dict[str, Any]:
    with _start(*words, "--json") as process:
        text, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, errors
    return dict(json.loads(text))


def _wait_until(condition: Callable[[], object]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def _segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("segment-*"))


def _has_samples(segment: Path) -> bool:
    samples = segment / "samples.perf"
    return samples.exists() and samples.stat().st_size > 4096  # more than the names of the process


def _are_readable(segments: list[Path]) -> bool:
    for segment in segments:
        assert open_recording(segment).manifest is not None
        assert len(read_capture(segment / "samples.perf", allow_truncated=True).time_ns) > 0
    return bool(segments)


def test_the_reported_cost_is_that_of_the_processes_and_keeps_the_budget(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("busy", 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ("-p", target.pid, "--budget", "20%", "--segment", "500ms", "--duration", 2)
    result = _record(*words, "-o", tmp_path / "run")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cost = result["cost"]
    # Python ends after the report.
    assert 0.7 * used_s < cost["recorder_cpu_s"] <= used_s + 0.02
    spent_s = cost["recorder_cpu_s"] + cost["sampling_cpu_s"] - cost["start_cpu_s"]
    # A segment may cost half more than its allowance before it ends.
    assert spent_s <= 1.5 * 0.2 * cost["elapsed_s"] + 0.05
    assert result["segments"] == len(_segments(tmp_path / "run")) >= 1
    assert _are_readable(_segments(tmp_path / "run"))
    assert result["samples"] > 0
    assert 10_000_000 < cost["memory_bytes"] < 250_000_000
    assert 0 < cost["disk_bytes"] < 250_000_000


def test_segments_survive_sigkill_and_a_later_run_goes_on(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("light", 1)
    words = ("-p", target.pid, "--budget", "100%", "--segment", "300ms", "-F", 999)
    folder = tmp_path / "run"

    with _start(*words, "-o", folder) as process:
        _wait_until(lambda: any(map(_has_samples, _segments(folder)[1:])))
        process.kill()
    # The collector notices the end of its parent, and closes the recording.
    _wait_until(lambda: _is_complete(_segments(folder)[-1]))
    assert _are_readable(_segments(folder))
    assert json.loads((folder / "continuous.json").read_text())["end"] == "running"
    count = len(_segments(folder))
    result = _record(*words, "-o", folder, "--duration", 0.4)
    assert result["segments"] > count
    assert result["first_segment"] == "segment-000001"


def test_sigterm_ends_it_as_ctrl_c_does(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("light", 1)
    folder = tmp_path / "run"
    words = ("-p", target.pid, "--budget", "100%", "-F", 999, "-o", folder, "--json")
    with _start(*words) as process:
        _wait_until(lambda: any(map(_has_samples, _segments(folder))))
        process.send_signal(signal.SIGTERM)
        text, errors = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, errors
    (segment,) = _segments(folder)
    assert _is_complete(segment)
    assert _are_readable([segment])
    result = json.loads(text)
    assert (result["end"], result["segments"]) == ("signal", 1)
    assert json.loads((folder / "continuous.json").read_text()) == result


def _is_complete(segment: Path) -> bool:
    manifest = segment / "recording.json"
    return manifest.exists() and json.loads(manifest.read_text())["complete"] is True


def test_a_receiver_gets_the_profile_of_each_segment(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("light", 1)
    with receiver([503, 200]) as (endpoint, requests):
        words = ("-p", target.pid, "--budget", "100%", "--segment", "400ms", "-F", 999)
        result = _record(*words, "-o", tmp_path / "run", "--duration", 1, "--otlp", endpoint.url)
    sent = result["sent"]
    assert sent["segments"] == result["segments"] >= 1
    assert sent["dropped"] == []
    assert sent["retries"] == 1
    assert len(requests) == sent["segments"] + 1
    samples = 0
    names: set[str] = set()
    for path, _, content in requests[1:]:
        assert path == "/v1development/profiles"
        request = profiles_service_pb2.ExportProfilesServiceRequest.FromString(content)
        names |= set(request.dictionary.string_table)
        profiles = request.resource_profiles[0].scope_profiles[0].profiles
        assert all(profile.time_unix_nano for profile in profiles)
        assert all(profile.duration_nano for profile in profiles)
        samples += sum(sum(sample.values) for sample in profiles[0].samples)
    assert samples == result["samples"]
    assert any("compute_lightly_until_end" in name for name in names)
