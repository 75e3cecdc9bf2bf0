"""A guardian cleans up after a killed process, and only then."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The guarded process starts a guardian that removes a stale tracefs instance: an empty folder.
GUARDED = """
import sys, time
from stallscope.guardian import start_guardian
guardian = start_guardian("stallscope.tracing.instance", [sys.argv[1]])
guardian.wait_ready()
print("ready", flush=True)
if sys.argv[2] == "dismiss":
    guardian.dismiss()
else:
    time.sleep(600)
"""


def start(folder: Path, end: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", GUARDED, folder, end], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def wait_removed(folder: Path) -> bool:
    deadline_s = time.monotonic() + 30
    while folder.exists() and time.monotonic() < deadline_s:
        time.sleep(0.01)
    return not folder.exists()


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    folder = tmp_path / "stallscope-1-1"
    folder.mkdir()
    return folder


def test_a_guardian_cleans_up_after_a_kill(instance: Path) -> None:
    with start(instance, "sleep") as process:
        os.kill(process.pid, signal.SIGKILL)
    assert wait_removed(instance)


def test_a_dismissed_guardian_does_not_clean_up(instance: Path) -> None:
    with start(instance, "dismiss") as process:
        assert process.wait() == 0
    assert instance.exists()
