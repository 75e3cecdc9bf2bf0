"""The last seconds before a trigger, of a real target."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.waits.analysis import analyze_waits
from stallscope._native import read_capture
from stallscope.pressure import read_pressure
from stallscope.programs import program
from stallscope.recordings import open_recording
from stallscope.system_files import Roots

BLOCK_S = 2.0  # a block has a second, and the drain wakes once a second

# Prints a time and then has a burst in a function with another name, before and after quiet times.
_BURST = """
import time
def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass
def early(): spin(0.5)
def burst(): spin(0.6)
input()
early()
time.sleep(4.0)
begin = time.monotonic_ns()
burst()
print(begin, time.monotonic_ns(), flush=True)
time.sleep(60)
"""


def test_the_seconds_before_a_signal_are_kept_and_older_ones_are_not(
    start_collector: Callable[..., Any], collector: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _BURST], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as target:
        try:
            began_ns = time.monotonic_ns()
            collection = start_collector("-p", target.pid, "--flight", 2, "-F", 499, "--python=off")
            collection.wait_for("started")
            assert target.stdin is not None
            assert target.stdout is not None
            target.stdin.write(b"\n")
            target.stdin.flush()
            begin_ns, end_ns = map(int, target.stdout.readline().split())
            trigger_ns = time.monotonic_ns()
            collection.send(f"trigger {trigger_ns} after the burst\nstop\n")
            recording = collection.end()
        finally:
            target.kill()
    document = recording.document
    assert document["complete"] is True
    flight = document["flight"]
    assert flight["trigger"] == {"monotonic_ns": trigger_ns, "text": "after the burst"}
    assert flight["began_monotonic_ns"] > began_ns
    assert trigger_ns - flight["from_monotonic_ns"] < (2 + 2 * BLOCK_S) * 1e9
    assert flight["overwritten_samples"] > 0
    times = read_capture(recording.samples_file).time_ns
    assert times.min() >= flight["from_monotonic_ns"] > began_ns
    inside = (times >= begin_ns) & (times <= end_ns)
    assert inside.sum() >= 0.9 * len(times) > 9


def test_without_a_trigger_nothing_is_written(
    start_collector: Callable[..., Any], start_target: Callable[..., Any], tmp_path: Path
) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid, "--flight", 5, "--flight-ends", "stopped")
    collection.wait_for("progress")
    collection.process.send_signal(signal.SIGINT)
    assert collection.wait_for("finished")["reason"] == "signal"
    assert collection.process.wait(20) == 0
    assert not (tmp_path / "run").exists()


def test_sigkill_loses_what_is_in_memory_and_the_directory_can_be_used_again(
    start_collector: Callable[..., Any], start_target: Callable[..., Any], record: Any
) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid, "--flight", 5)
    collection.wait_for("progress")
    collection.process.kill()
    collection.process.wait(20)
    recording = collection.recording
    recording.reload()
    assert recording.document["complete"] is False
    again = record("-p", target.pid, "--duration", 1, "--force", output=recording.directory)
    assert again.document["complete"] is True


def _run(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "stallscope", "record", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"no line with {text!r}")


def test_sigusr1_writes_a_recording_that_report_reads(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("light", 1)
    output = tmp_path / "flight"
    words = ("-p", target.pid, "--flight", "5s", "--flight-after", "200ms", "--on", "signal")
    with _run(*words, "-o", output, "--json") as process:
        _wait_for(process, f"kill -USR1 {process.pid}")
        time.sleep(1.0)  # samples to keep
        process.send_signal(signal.SIGUSR1)
        text, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    (entry,) = json.loads(text)["flight"]
    assert entry["trigger"] == "signal SIGUSR1"
    done = subprocess.run(
        [sys.executable, "-m", "stallscope", "report", str(output)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "signal SIGUSR1: the" in done.stdout


def test_pressure_of_busy_cpus_fires(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    if read_pressure("cpu", "some", Roots()) is None:
        pytest.skip("needs the kernel's pressure stall information: boot with psi=1")
    target = start_target("busy", 1 + (os.cpu_count() or 1))
    words = ("-p", target.pid, "--flight", "5s", "--flight-after", "100ms")
    with _run(*words, "--on", "psi.cpu>1%", "-o", tmp_path / "flight", "--json") as process:
        text, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert json.loads(text)["flight"][0]["trigger"].startswith("psi.cpu>1%/2s (now ")


def test_an_end_without_a_trigger_is_named_and_leaves_nothing(
    start_target: Callable[..., Any], collector: Path, tmp_path: Path
) -> None:
    target = start_target("light", 1)
    words = ["-p", target.pid, "--flight", "5s", "--on", "signal", "--duration", 3]
    if read_pressure("memory", "some", Roots()) is not None:
        # The file is always ready to be read, which is not the event.
        words += ["--flight-after", "100ms", "--on", "psi.memory.full>99%/10s"]
    with _run(*words, "-o", tmp_path / "flight") as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "no trigger fired within 00:00:" in errors
    assert not (tmp_path / "flight").exists()


def test_the_end_of_the_target_is_a_trigger(collector: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-c", "for _ in range(9_000_000): pass\nraise SystemExit(3)")
    words = ("--flight", "5s", "--on", "exit", "-F", 999, "-o", tmp_path / "flight", "--json")
    with _run(*words, "--", *command) as process:
        text, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    result = json.loads(text)
    assert result["end"] == "target ended"
    assert result["target_status"] == "exited 3"
    assert result["flight"][0]["trigger"] is None


def test_the_last_seconds_before_slow_requests_have_their_waits(
    needs_root: None, collector: Path, tmp_path: Path
) -> None:
    kernels = [program("stallscope-kernels"), "slow-requests-lock", "--duration", "0"]
    output = tmp_path / "flight"
    with subprocess.Popen(kernels, stdout=subprocess.DEVNULL) as target:
        try:
            words = ("-p", target.pid, "--flight", "2s", "--flight-after", "100ms", "--waits")
            with _run(
                *words, "--max-cost", 1, "--on", "p99>1ms", "-o", output, "--json"
            ) as process:
                text, errors = process.communicate(timeout=60)
        finally:
            target.kill()
    assert process.returncode == 0, errors
    assert " requests above 1 ms" in json.loads(text)["flight"][0]["trigger"]
    words = (sys.executable, "-m", "stallscope", "requests", str(output), "--json")
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    result = json.loads(done.stdout)
    assert result["requests"] > 50
    analysis = analyze_waits(open_recording(output))
    begin_ns = json.loads((output / "recording.json").read_text())["flight"]["from_monotonic_ns"]
    assert len(analysis.records.switches.time_ns) > 100
    readings = {reading.thread for reading in analysis.records.readings}
    assert all(reading.at_ns >= begin_ns for reading in analysis.records.readings)
    workers = [n for n, row in enumerate(analysis.records.threads) if row.name == "worker"]
    assert readings.issuperset(workers)
