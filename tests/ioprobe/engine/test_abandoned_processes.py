"""Processes that are killed and not waited for."""

import subprocess
import time

from ioprobe.engine.abandoned_processes import abandon


def test_a_process_is_killed_and_reaped_in_the_background() -> None:
    process = subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE)
    abandon(process)
    assert process.stdout is not None
    assert process.stdout.closed
    deadline = time.monotonic() + 60
    while process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert process.returncode == -9


def test_a_process_that_ended_keeps_its_status() -> None:
    process = subprocess.Popen(["false"], stdout=subprocess.PIPE)
    process.wait(60)
    abandon(process)
    assert process.returncode == 1
