"""Under a seccomp filter that rejects perf_event_open, one message names the filter and the remedy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.counting import plan_of

pytestmark = pytest.mark.live
FILTER = (sys.executable, "-m", "tests.live.seccomp_filter")
REMEDY = "--security-opt seccomp=unconfined"


def test_the_collector_names_the_filter_and_the_remedy(record) -> None:
    recording = record("-p", os.getpid(), "--duration", "1", before=FILTER)
    assert recording.exit_code == 3
    error, remedy = recording.messages.splitlines()
    assert "EPERM" in error
    assert "because a seccomp filter denies the call" in error
    assert "perf_event_paranoid" not in error
    assert REMEDY in remedy
    assert "setcap" not in remedy
    assert not recording.directory.exists()


def test_counting_names_the_filter_and_the_remedy(count, checkout: Path) -> None:
    counting = count(plan_of(["task-clock"]), "-p", os.getpid(), before=FILTER)
    assert counting.exit_code == 3
    assert "seccomp filter denies the call" in counting.messages
    assert REMEDY in counting.messages


def test_a_filter_that_allows_the_call_is_not_blamed(
    record, start_target, as_ordinary_user, open_folder: Path
) -> None:
    """Without the filter the level of perf_event_paranoid is the reason."""
    target = start_target("light", 1)
    recording = record("-p", target.pid, before=as_ordinary_user, output=open_folder / "run")
    assert recording.exit_code == 3
    assert "seccomp" not in recording.messages


def test_doctor_names_the_remedy_first(checkout: Path) -> None:
    run = subprocess.run(
        [*FILTER, sys.executable, "-m", "stallscope", "doctor", "--json"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    checks = {check["name"]: check for check in json.loads(run.stdout)["checks"]}
    assert checks["software-clock"]["status"] == "unavailable"
    assert REMEDY in checks["software-clock"]["remedy"]
