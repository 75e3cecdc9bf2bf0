"""Ends of a recording; perf can read the written data after every kind of end."""

import json
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOME_SAMPLES_BYTES = 50_000  # the header and the first records are smaller
pytestmark = pytest.mark.live


def symbols(text: str) -> Counter[str]:
    """The leaf symbols of perf script's samples, one per line."""
    leaves = (line.split(maxsplit=1)[1] for line in text.splitlines() if line.strip())
    return Counter(leaf.strip() for leaf in leaves)


def test_perf_script_and_report_agree_with_the_recorded_counts(start_target, record, perf) -> None:
    target = start_target("busy", 2)
    recording = record("-p", target.pid, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    total = recording.document["samples"]
    assert recording.document["files"][0]["bytes"] == recording.samples_file.stat().st_size
    by_symbol = symbols(perf.text("script", "-i", recording.samples_file, "-G", "-F", "ip,sym"))
    assert sum(by_symbol.values()) == total
    assert by_symbol["target_hot"] > 0.9 * total
    report = perf.text(
        "report", "-i", recording.samples_file, "--stdio", "-g", "none", "--no-children", "-n"
    )
    rows = [
        line.split() for line in report.splitlines() if line.strip() and not line.startswith("#")
    ]
    counts = {row[-1]: int(row[1]) for row in rows}
    assert sum(counts.values()) == total
    assert counts["target_hot"] == by_symbol["target_hot"]


def test_kernel_symbols_are_named(needs_root, record, perf) -> None:
    # Reading zeros: nearly all of it is kernel time.
    recording = record(
        "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=8000", "status=none"
    )
    assert recording.exit_code == 0, recording.messages
    assert recording.document["source"]["scope"] == "user+kernel"
    by_symbol = symbols(perf.text("script", "-i", recording.samples_file, "-G", "-F", "ip,sym"))
    assert by_symbol["[unknown]"] < 0.2 * sum(by_symbol.values())
    names = (recording.directory / "kallsyms").read_text()
    known = [name for name in by_symbol if f" {name}\n" in names]
    assert known


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_recording(start_target, start_collector, perf, number: int) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    collection.wait_for("progress")
    collection.process.send_signal(number)
    finished = collection.wait_for("finished")
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["complete"] is True
    assert recording.document["end"]["reason"] == "signal"
    assert len(perf.samples(recording)) == recording.document["samples"] == finished["samples"] > 0


def test_two_interrupts_are_harmless(start_target, start_collector) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    collection.wait_for("progress")
    collection.process.send_signal(signal.SIGINT)
    collection.process.send_signal(signal.SIGINT)
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["complete"] is True


def test_an_interrupt_of_stallscope_alone_ends_the_recording(start_target, tmp_path: Path) -> None:
    """A terminal interrupts the collector as well; kill does not."""
    target = start_target("light", 1)
    words = ["record", "-o", str(tmp_path / "run"), "-d", "0", "-p", str(target.pid)]
    with subprocess.Popen(
        [sys.executable, "-m", "stallscope", *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        samples = tmp_path / "run" / "samples.perf"
        while not samples.exists() or samples.stat().st_size < SOME_SAMPLES_BYTES:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=20)
    assert process.returncode == 0, messages
    document = json.loads((tmp_path / "run" / "recording.json").read_text())
    assert document["complete"]
    assert document["end"]["reason"] == "control closed"


def test_data_written_before_sigkill_are_readable(start_target, start_collector, perf) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    collection.wait_for("progress")
    reported = collection.wait_for("progress")["samples"]
    collection.process.kill()
    collection.process.wait()
    recording = collection.recording
    recording.reload()
    assert recording.document["complete"] is False
    assert len(perf.samples(recording)) >= reported > 0


@pytest.mark.parametrize(("how", "reason"), [("stop", "stopped"), ("close", "control closed")])
def test_the_control_descriptor_ends_the_recording(
    start_target, start_collector, how: str, reason: str
) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    hello = collection.wait_for("hello")
    assert hello["protocol"] == 1
    assert collection.wait_for("started")["pids"] == [target.pid]
    collection.wait_for("progress")
    if how == "stop":
        collection.send("stop\n")
    else:
        collection.close_control()
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["end"]["reason"] == reason


@pytest.mark.parametrize("command", [(), ("--", "sleep", "60")])
def test_the_collector_ends_with_its_parent(
    collector, target_program, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """The control descriptor stays open: only the kernel reports the parent's end."""
    words = ["--die-with-parent", "-o", str(tmp_path / "run"), *(command or ("-a",))]
    script = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(collector), *words], stderr=subprocess.PIPE
    ) as parent:
        assert parent.stderr is not None
        for line in parent.stderr:
            if b"recording" in line:
                break
        parent.kill()
        # The pipe is closed when all processes that hold it have ended.
        assert select.select([parent.stderr], [], [], 20)[0]
        parent.stderr.read()
    assert json.loads((tmp_path / "run" / "recording.json").read_text())["end"] == {
        "reason": "signal",
        "target_status": {"signalled": 15} if command else None,
    }


def test_a_recording_started_disabled_begins_at_enable(start_target, start_collector) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid, "--start-disabled", "--duration", 0.5)
    collection.wait_for("ready")
    collection.send("enable\n")
    collection.wait_for("started")
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["samples"] > 0


def test_the_end_of_the_target_ends_the_recording(start_target, start_collector) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    collection.wait_for("progress")
    target.end()
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["end"]["reason"] == "target ended"


def test_a_command_is_ended_after_the_duration(record, tmp_path: Path) -> None:
    recording = record("--duration", 0.5, "--", "/bin/sh", "-c", "while :; do :; done")
    assert recording.exit_code == 0, recording.messages
    assert recording.document["end"] == {"reason": "duration", "target_status": {"signalled": 15}}


def test_a_commands_status_is_recorded(record) -> None:
    recording = record(
        "--", "/bin/sh", "-c", "i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done; exit 7"
    )
    assert recording.exit_code == 0, recording.messages
    assert recording.document["end"]["target_status"] == {"exited": 7}


def test_data_written_before_the_disk_was_full_are_readable(
    needs_root, start_target, record, perf, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], check=True)
    try:
        target = start_target("busy", 2)
        recording = record("-p", target.pid, "-F", 4999, output=small / "run")
        assert recording.exit_code == 6
        assert "No space left" in recording.messages
        assert "free some space" in recording.messages
        assert recording.document["complete"] is False
        assert recording.document["end"]["reason"] == "disk full"
        assert len(perf.samples(recording)) == recording.document["samples"] > 0
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_sleeping_target_gives_an_empty_recording_with_a_warning(record) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        recording = record("-p", sleeper.pid, "--duration", 0.3)
        sleeper.kill()
    assert recording.exit_code == 5
    assert "the recording is empty" in recording.messages
    assert recording.samples_file.exists()


@pytest.fixture
def ignored_hangup() -> Iterator[None]:
    """Ignores SIGHUP as nohup does."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


def test_under_nohup_a_hangup_does_not_end_the_recording(
    start_target, start_collector, ignored_hangup: None
) -> None:
    target = start_target("light", 1)
    collection = start_collector("-p", target.pid)
    collection.wait_for("progress")
    collection.process.send_signal(signal.SIGHUP)
    collection.wait_for("progress")
    collection.send("stop\n")
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["end"]["reason"] == "stopped"


WORK = "i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done"


def test_a_command_inherits_the_original_limit_of_descriptors(record, tmp_path: Path) -> None:
    seen = tmp_path / "limit"
    before = ("prlimit", "--nofile=200:1000")
    recording = record("--", "/bin/sh", "-c", f"{WORK}; ulimit -Sn >{seen}", before=before)
    assert recording.exit_code == 0, recording.messages
    assert seen.read_text() == "200\n"


def test_a_daemon_left_by_a_command_does_not_keep_the_progress_pipe_open(start_collector) -> None:
    """The pipe ends after the last line of progress, not when the daemon ends."""
    collection = start_collector("--", "/bin/sh", "-c", f"{WORK}; sleep 8 &")
    collection.wait_for("finished")
    readable, _, _ = select.select([collection.progress], [], [], 4)
    assert readable
    assert collection.progress.read() == b""
    assert collection.end().exit_code == 0


def test_kernel_symbols_are_copied_completely_or_not_at_all(
    needs_root, record, target_program, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", small], check=True)
    try:
        words = ("--stacks", "fp", "--", target_program, "spin", 100)
        recording = record(*words, output=small / "run")
        if Path("/proc/kallsyms").read_text().count("\n") < 50_000:
            pytest.skip("needs the kernel's symbols: more than the small disk holds")
        assert recording.exit_code == 0, recording.messages
        assert recording.document["complete"]
        assert "kernel-symbols-not-kept" in recording.warnings()
        names = {path.name for path in recording.directory.iterdir()}
        assert not {"kallsyms", ".kallsyms.new"} & names
        assert "kallsyms" not in {entry["name"] for entry in recording.document["files"]}
    finally:
        subprocess.run(["umount", small], check=True)
