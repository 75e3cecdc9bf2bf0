"""Recordings of waits: switch records, samples of switches, wake-ups and the lines of waits.jsonl."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.live.conftest import public_folder

pytestmark = pytest.mark.live

SLEEPS = "import time\nfor _ in range(10): time.sleep(0.02)"


def lines_of(recording: Any) -> dict[str, list[dict[str, Any]]]:
    """The lines of waits.jsonl by their type."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for line in (recording.directory / "waits.jsonl").read_text().splitlines():
        document = json.loads(line)
        lines.setdefault(document["type"], []).append(document)
    return lines


def sources_of(recording: Any) -> dict[str, bool]:
    return {line["name"]: line["available"] for line in lines_of(recording)["source"]}


def events_of(perf: Any, recording: Any) -> Counter[str]:
    """The number of records by event, as perf reads them."""
    words = ("-f", "--show-switch-events", "--no-inline", "-G", "-F", "comm,event,tid", "-i")
    events: Counter[str] = Counter()
    for line in perf.text("script", *words, recording.samples_file).splitlines():
        fields = line.split()
        if "PERF_RECORD_SWITCH" in line:
            events["in" if "IN" in fields else "out"] += 1
        elif fields and ":" in line:
            events[fields[2].rstrip(":")] += 1
    return events


def test_perf_reads_switches_samples_and_wake_ups(needs_root: None, record: Any, perf: Any) -> None:
    """A kernel may drop all tracepoints of a CPU's idle task, which the timer interrupts.

    (Seen on Linux 6.18, until the next boot; perf record had none either. Another CPU had all.)
    """
    wake_ups = []
    for cpu in sorted(os.sched_getaffinity(0)):
        command = ("taskset", "-c", cpu, sys.executable, "-c", SLEEPS)
        recording = record("--force", "--waits", "--", *command)
        assert recording.exit_code == 0, recording.messages
        events = events_of(perf, recording)
        assert events["context-switches"] >= 10  # one per sleep at least
        assert events["in"] >= 10
        assert events["out"] >= 10
        assert recording.document["losses"]["lost_samples"] == 0
        wake_ups.append(events["sched:sched_waking"])
    if sources_of(recording)["sched_waking"]:
        assert max(wake_ups) >= 10  # the timer wakes it, from an interrupt


def test_the_state_of_each_thread_is_read_at_the_start_and_the_end(
    needs_root: None, start_target: Any, record: Any
) -> None:
    target = start_target("busy", 3)
    recording = record("--waits", "-p", target.pid, "--duration", 0.3)
    assert recording.exit_code == 0, recording.messages
    lines = lines_of(recording)
    readings = {(line["moment"], line["tid"]): line for line in lines["thread"]}
    for moment in ("start", "end"):
        tids = {tid for at, tid in readings if at == moment}
        assert target.pid in tids
        assert len(tids) >= 3
    start, end = (
        sum(line["run_ns"] for (at, _), line in readings.items() if at == moment)
        for moment in ("start", "end")
    )
    assert end > start
    assert {line["moment"] for line in lines["cpus"]} == {"start", "end"}
    assert {line["fd"] for line in lines["descriptor"]} >= {0, 1}


def test_an_idle_target_is_recorded_without_an_error(needs_root: None, record: Any) -> None:
    with subprocess.Popen(["sleep", "60"]) as target:
        recording = record("--waits", "-p", target.pid, "--duration", 0.2)
        target.kill()
    assert recording.exit_code == 0, recording.messages


def test_an_ordinary_user_records_switches_and_learns_what_is_missing(
    as_ordinary_user: tuple[str, ...], record: Any, perf: Any, tmp_path: Path
) -> None:
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        pytest.skip("needs the kernel's perf_event_paranoid at 2")
    with public_folder(0o777) as folder:
        recording = record(
            "--waits", "--", "/bin/sleep", 0.2, output=folder / "run", before=as_ordinary_user
        )
        assert recording.exit_code == 0, recording.messages
        sources = {line["name"]: line for line in lines_of(recording)["source"]}
        assert sources["switches"]["available"]
        for name in ("switch_samples", "switches_of_cpus", "sched_waking"):
            assert not sources[name]["available"]
            assert sources[name]["reason"]
            assert sources[name]["remedy"]
        events = events_of(perf, recording)
        assert events["in"] >= 1
        assert events["out"] >= 1
        assert events["context-switches"] == 0


def test_threads_created_during_the_recording_have_switches(
    needs_root: None, record: Any, perf: Any
) -> None:
    program = (
        "import threading, time\n"
        "threads = [threading.Thread(target=time.sleep, args=(0.02,)) for _ in range(30)]\n"
        "for thread in threads: thread.start(); time.sleep(0.003)"
    )
    begin = time.monotonic()
    recording = record("--waits", "--", sys.executable, "-c", program)
    assert recording.exit_code == 0, recording.messages
    assert time.monotonic() - begin < 60
    words = ("script", "-G", "--no-inline", "-F", "tid,event", "-i", recording.samples_file)
    rows = (line.split() for line in perf.text(*words).splitlines())
    tids = {row[0] for row in rows if row[1:] == ["context-switches:"]}
    assert len(tids) >= 30


def test_a_recording_ends_at_its_maximum_size_and_keeps_the_data(
    needs_root: None, record: Any, perf: Any, tmp_path: Path
) -> None:
    program = (
        "import os, threading, time\n"
        "(a, b), (c, d) = os.pipe(), os.pipe()\n"
        "def answer():\n"
        "    while True: os.read(a, 1); os.write(d, b'x')\n"
        "threading.Thread(target=answer, daemon=True).start()\n"
        # Without the pause, a busy machine loses more switches than it keeps.
        "while True: os.write(b, b'x'); os.read(c, 1); time.sleep(1e-4)"
    )
    end = ("--max-size", 1, "--max-cost", 100, "--duration", 20)
    recording = record("--waits", *end, "--", sys.executable, "-c", program)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["end"]["reason"] == "size limit"
    assert "size-limit" in recording.warnings()
    assert recording.document["complete"] is True
    assert recording.samples_file.stat().st_size >= 1 << 20
    assert events_of(perf, recording)["context-switches"] > 0


def test_above_the_cost_limit_switches_are_recorded_in_windows(
    needs_root: None, record: Any, perf: Any
) -> None:
    program = (
        "import os, threading, time\n"
        "(a, b), (c, d) = os.pipe(), os.pipe()\n"
        "end = time.monotonic() + 1.5\n"
        "def answer():\n"
        "    while os.read(a, 1) == b'x': os.write(d, b'x')\n"
        "threading.Thread(target=answer).start()\n"
        "while time.monotonic() < end: os.write(b, b'x'); os.read(c, 1)\n"
        "os.write(b, b'.')"
    )
    recording = record("--waits", "--max-cost", 0.001, "--", sys.executable, "-c", program)
    assert recording.exit_code == 0, recording.messages
    lines = lines_of(recording)
    if not sources_of(recording)["switches_of_cpus"]:
        pytest.skip("needs perf events: of whole CPUs")
    assert [line["mode"] for line in lines["mode"]] == ["all", "windows"]
    assert "waits-in-windows" in recording.warnings()
    windows = [(line["begin_ns"], line["end_ns"]) for line in lines["window"]]
    assert windows == sorted(windows)
    assert all(begin < end for begin, end in windows)
    limited = lines["mode"][1]["at_ns"]
    assert sum(end - begin for begin, end in windows) < 0.3 * (windows[-1][1] - limited)
    assert {line["moment"] for line in lines["thread"]} >= {"tick"}
    assert events_of(perf, recording)["context-switches"] > 0
