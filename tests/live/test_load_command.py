"""`stallscope load` against redis: document, recording, page."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stallscope.errors import ExitCode
from stallscope.histograms import read_interval_log
from tests.documents import assert_valid

STALLSCOPE = Path(sys.executable).with_name("stallscope")


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a redis-server for these tests."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs the program redis-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir"]
    process = subprocess.Popen([*command, folder], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([STALLSCOPE, "load", *words], capture_output=True, text=True, check=False)


def test_an_open_loop_is_printed_recorded_and_drawn(redis: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = ("--duration", "1", "--warmup", "0.1", "--rate", "500", "-c", "4", "--keys", "100")
    process = run(redis, *words, "--fill", "-o", folder, "--json")
    assert process.returncode == 0, process.stderr
    assert_valid("load", process.stdout)
    assert_valid("recording.load", (folder / "recording.json").read_text())
    document = json.loads(process.stdout)
    assert document["schema"] == "stallscope.load/1"
    assert document["rate_requested"] == 500
    assert document["rate_achieved"] > 0
    assert document["errors"] == 0
    for name in ("latency_us", "service_us", "send_lag_us"):
        values = [document[name][key] for key in ("p50", "p90", "p99", "p99.9", "max")]
        assert values == sorted(values)
    merged = read_interval_log(folder / "intended.hlog").merged()
    assert merged is not None
    assert merged.total == document["requests"]
    p99 = merged.percentile(99)
    assert p99 is not None
    assert p99 / 1000 == pytest.approx(document["latency_us"]["p99"], rel=0.002)
    assert "Latency by percentile" in (folder / "report.html").read_text()


def test_ctrl_c_keeps_the_measurement(redis: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = (redis, "--duration", "60", "--warmup", "0", "-c", "2", "-o", folder, "--json")
    process = subprocess.Popen([STALLSCOPE, "load", *words], stdout=subprocess.PIPE, text=True)
    log = folder / "intended.hlog"
    deadline = time.monotonic() + 60
    while not (log.is_file() and log.read_text().count(",") > 6):  # the log has an interval
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(printed)["requests"] > 0
    assert (folder / "report.html").is_file()
    manifest = json.loads((folder / "recording.json").read_text())
    assert (manifest["complete"], manifest["end"]["reason"]) == (True, "signal")


def test_a_correct_server_passes_the_check(redis: str, tmp_path: Path) -> None:
    process = run(redis, "--check", "--requests", "500", "--duration", "20", "--warmup", "0",
               "-o", tmp_path / "run", "--json")  # fmt: skip
    assert process.returncode == 0, process.stderr
    document = json.loads(process.stdout)
    assert (document["lost"], document["doubled"], document["reordered"]) == (0, 0, 0)
    assert document["checked"] > 0


def test_an_unreachable_target_is_a_single_error_without_a_recording(tmp_path: Path) -> None:
    process = run("127.0.0.1:1", "-o", tmp_path / "run")
    assert process.returncode == ExitCode.TARGET_FAILED
    assert "Connection refused" in process.stderr
    assert not (tmp_path / "run").exists()
    assert run().returncode == ExitCode.USAGE
