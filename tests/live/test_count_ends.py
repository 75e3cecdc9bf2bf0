"""Ends of a counting; the counts are in the recording after every kind of end."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.live.counting import plan_of

pytestmark = pytest.mark.live
PLAN = plan_of(["task-clock", "page-faults"])


def test_a_command_that_ends_at_once_has_counts(count) -> None:
    done = count(PLAN, "--", "/bin/true")
    assert done.exit_code == 0, done.messages
    assert done.document["end"] == {"reason": "target ended", "target_status": {"exited": 0}}
    assert done.last("page-faults") > 10
    assert done.last("task-clock") > 0
    assert done.document["complete"] is True


def test_the_status_of_the_command_is_kept(count) -> None:
    done = count(PLAN, "--", "/bin/sh", "-c", "exit 7")
    assert done.exit_code == 0, done.messages
    assert done.document["end"]["target_status"] == {"exited": 7}


def test_counting_starts_at_the_exec(count) -> None:
    """Runs of the same command differ by little: the collector's own child is not in them."""
    faults = [count(PLAN, "--force", "--", "/bin/true").last("page-faults") for _ in range(3)]
    assert max(faults) - min(faults) <= 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_recording(start_target, start_counting, number: int) -> None:
    target = start_target("light", 1)
    counting = start_counting(PLAN, "-p", target.pid)
    counting.wait_for("progress")
    counting.process.send_signal(number)
    finished = counting.wait_for("finished")
    done = counting.end()
    assert done.exit_code == 0
    assert done.document["complete"] is True
    assert done.document["end"]["reason"] == "signal"
    assert done.document["windows"] == finished["windows"] == len(done.lines)


def test_a_recording_is_readable_after_sigkill(start_target, start_counting) -> None:
    target = start_target("light", 1)
    counting = start_counting(PLAN, "-p", target.pid, "--window", 50)
    counting.wait_for("progress")
    message = counting.wait_for("progress")["windows"]
    counting.process.kill()
    counting.process.wait()
    counting.recording.reload()
    done = counting.recording
    assert done.document["complete"] is False
    assert len(done.lines) >= message >= 2
    assert done.header["schema"] == "stallscope.counters/1"
    text = (done.directory / "counters.jsonl").read_text()
    assert text.endswith("\n")
    assert json.loads((done.directory / "plan.json").read_text()) == PLAN


@pytest.mark.parametrize(("how", "reason"), [("stop", "stopped"), ("close", "control closed")])
def test_the_control_descriptor_ends_counting(
    start_target, start_counting, how: str, reason: str
) -> None:
    target = start_target("light", 1)
    counting = start_counting(PLAN, "-p", target.pid, "--start-disabled")
    counting.wait_for("ready")
    counting.send("enable\n")
    counting.wait_for("progress")
    if how == "stop":
        counting.send("stop\n")
    else:
        counting.close_control()
    done = counting.end()
    assert done.exit_code == 0
    assert done.document["end"]["reason"] == reason


def test_the_end_of_the_target_ends_counting(start_target, start_counting) -> None:
    target = start_target("light", 1)
    counting = start_counting(PLAN, "-p", target.pid)
    counting.wait_for("progress")
    own = target.end()
    done = counting.end()
    assert done.exit_code == 0
    assert done.document["end"]["reason"] == "target ended"
    assert 0 < done.last("task-clock") <= 1.05 * sum(cpu for _, cpu in own.values())


def test_a_command_is_ended_after_the_duration_of_counting(count) -> None:
    done = count(PLAN, "--duration", 0.2, "--", "/bin/sh", "-c", "while :; do :; done")
    assert done.exit_code == 0, done.messages
    assert done.document["end"] == {"reason": "duration", "target_status": {"signalled": 15}}


def test_the_collector_sleeps_between_windows(
    start_target, count, collector: Path, tmp_path: Path
) -> None:
    """The collector's CPU time, start and end included, is small compared with the counted time."""
    target = start_target("light", 1)
    inner = (f"--plan={tmp_path / 'plan.json'}", f"--output={tmp_path / 'inner'}")
    words = (collector, "count", *inner, "--duration", 1, "-p", target.pid)
    done = count(PLAN, "--", *words)
    assert done.exit_code == 0, done.messages
    assert done.document["end"]["target_status"] == {"exited": 0}
    assert done.last("task-clock") < 0.1e9  # of a second


def test_a_full_disk_ends_counting_and_keeps_complete_windows(
    needs_root, start_target, count, tmp_path: Path
) -> None:
    target = start_target("sleep", 60)
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=192k", "none", small], check=True)
    try:
        words = ("-p", target.pid, "--per-thread", "--window", 50)
        done = count(PLAN, *words, output=small / "run")
        assert done.exit_code == 6
        assert "disk full" in done.messages
        assert done.document["complete"] is False
        threads = {line["scope"]["tid"] for line in done.lines}
        assert len(done.lines) % len(threads) == 0
        assert len(threads) > 60
    finally:
        subprocess.run(["umount", small], check=True)
