"""The labs of stages and scale with the real server and loader, in short runs."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.soak import soak
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.sweep.session import measure_sweep
from tests.documents import assert_valid

pytestmark = pytest.mark.live
STALLSCOPE = Path(sys.executable).with_name("stallscope")
SHORT = ("--pairs", "1", "--duration", "0.2", "--warmup", "0.1", "-c", "8")


@pytest.fixture(autouse=True)
def two_cpus() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs: one for the server, one for the loader")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([STALLSCOPE, "lab", *words], capture_output=True, text=True, check=False)


def test_several_threads_pass_requests_through_the_stages_of_other_shards(tmp_path: Path) -> None:
    process = run("stages", "--path", "kv", *SHORT, "--threads", "2", "--loads", "", "--profile", "0",
               "--no-replay", "-o", tmp_path / "lab", "--json")  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert_valid("lab.stages", process.stdout)
    document = json.loads(process.stdout)
    assert len(document["machine"]["server_cpus"]) == len(document["machine"]["loader_cpus"]) == 2
    assert document["options"]["threads"] == 2
    assert [reading["errors"] for reading in document["rounds"]] == [0, 0]
    executed = {stage["name"]: stage["executed"] for stage in document["stages"]}
    for name in ("execute", "parse", "coordinate", "apply_local", "apply_remote"):
        assert executed[name] > 0, executed
    if document["machine"]["shared"]:
        assert document["verdict"] == "no verdict"


def test_stages_are_measured_on_and_off(tmp_path: Path) -> None:
    process = run("stages", "--path", "kv", *SHORT, "--loads", "50", "--rate", "500",
               "--profile", "0", "--no-replay", "-o", tmp_path / "lab", "--json")  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert_valid("lab.stages", process.stdout)
    document = json.loads(process.stdout)
    assert document["schema"] == "stallscope.lab.stages/1"
    assert (document["path"], document["pairs"]) == ("kv", 1)
    assert document["verdict"] == "no verdict"
    assert "too few" in document["verdict_reason"]
    assert [(reading["load"], reading["side"]) for reading in document["rounds"]] == [
        ("saturated", "unstaged"), ("saturated", "staged"),
        ("open50", "unstaged"), ("open50", "staged"),
        ("rate500", "staged"), ("rate500", "unstaged"),
    ]  # fmt: skip
    for reading in document["rounds"]:
        assert reading["errors"] == 0
        assert reading["throughput_per_s"] > 0
        assert reading["cpu_us"] > 0
        assert 0 < reading["p50_us"] <= reading["p95"] <= reading["p99_us"]
        assert reading["mean"] > 0
        assert (reading["average_batch"] is None) == (reading["side"] == "unstaged")
    assert document["average_batch"] >= 1
    assert document["p99_ratio_at_rate_per_s"] == 500
    assert document["simulation"]["why_not"] == "switched off by --no-replay"
    machine = document["machine"]
    assert machine["server_cpu"] != machine["loader_cpu"]
    assert "Verdict: no verdict" in (tmp_path / "lab" / "report.html").read_text()


def test_a_sweep_measures_footprints_and_batch_limits(tmp_path: Path) -> None:
    options = StagesOptions(
        "codec", tmp_path / "sweep", pairs=1, duration_s=0.2, warmup_s=0.05, connections=8,
        replay=False,
    )  # fmt: skip
    sweep = measure_sweep(options, None, footprints_kb=(8,), batch_limits=(4,))
    assert [lab.options.footprint_kb for lab in sweep.footprints] == [8]
    (limited,) = sweep.batches
    batches = [reading.average_batch for reading in limited.readings]
    assert all(batch is None or batch <= 4 for batch in batches)


def test_scale_reports_n_and_x(tmp_path: Path) -> None:
    table = tmp_path / "scale.csv"
    process = run("scale", "--connections", "2", "--threads", "1", "--rounds", "1",
               "--duration", "0.2", "--count", "cycles", "-o", table, "--json")  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert_valid("lab.scale", process.stdout)
    document = json.loads(process.stdout)
    points = document["points"]
    for point in document["counted"]:
        counts = {event["event"]: event["per_request"] for event in point["events"]}
        assert counts["task-clock"] > 0
        # Exactly the measured time, on however busy a machine: the warm-up has 0.3 s.
        assert 0.1 < point["counts"]["seconds"] < 0.4
        assert (counts["cycles"] is None) == bool(point["counts"]["unavailable"])
    assert [(point["axis"], point["N"]) for point in points] == [
        ("connections", 1), ("connections", 2), ("threads", 1),
    ]  # fmt: skip
    assert len(document["counted"]) == len(points)
    assert all(point["X"] > 0 for point in points)
    assert [row["N"] for row in csv.DictReader(table.read_text().splitlines())] == ["1", "2", "1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_server_and_loader_end_with_the_lab(tmp_path: Path, number: signal.Signals) -> None:
    words = (
        "stages",
        "--path",
        "kv",
        *SHORT,
        "--no-replay",
        "--pairs",
        "50",
        "-o",
        tmp_path / "lab",
    )
    lab = subprocess.Popen([STALLSCOPE, "lab", *words], stderr=subprocess.PIPE)
    watched = psutil.Process(lab.pid)
    deadline = time.monotonic() + 60
    while len(children := watched.children(recursive=True)) < 2:  # server and loader
        assert lab.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    lab.send_signal(number)
    lab.communicate(timeout=60)
    assert lab.returncode == -number
    _, left = psutil.wait_procs(children, timeout=30)
    assert not left


def test_a_short_soak_loses_no_reply(tmp_path: Path) -> None:
    result = soak(1.5, tmp_path)
    assert result.checked > 0
    assert result.mixed > 0
    assert result.errors == 0
    assert len(result.resident_bytes) > 3
