"""Runs of the waiting programs of stallscope-kernels, and their accounts."""

import json
import subprocess
from typing import Any

import pytest

from harness.labs.diagnose.priority import raised_priority
from stallscope.programs import program

Report = dict[str, Any]

# The thread and state whose share a program raises above that of its look-alike.
RAISED = {
    "lock-hog": ("victim", "lock"),
    "lock-holder-on-slow-disk": ("holder", "disk_write"),
    "idle-sleeper": ("victim", "lock"),
    "preempted-holder": ("holder", "run_queue"),
    "lock-convoy": ("worker", "lock"),
    "pipeline-slow-middle": ("first", "condition"),
    "single-threaded-server": ("client", "network"),
    "states": ("computing", "run_queue"),
    "wall-halves": ("second-half", "condition"),
    "futex-kinds": ("stdio", "lock"),
    "mapped-file-faults": ("reader", "page_fault"),
    "deep-queue": ("batch", "disk_read"),
    "slow-peer": ("client", "network"),
    "oversubscribed": ("worker", "run_queue"),
    "cgroup-throttled": ("spinner", "throttled"),
}


def report(name: str, *options: str) -> Report:
    """Return the report of a run of 0.3 s."""
    words = [program("stallscope-kernels"), name, "--json", "--duration", "0.3", *options]
    with raised_priority():  # else a program waits for the CPUs that other tests use
        result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    if "cannot make the cgroup" in result.stderr:
        pytest.skip("needs root: it makes a cgroup")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def share(document: Report, thread: str, state: str) -> float:
    """Return the share of a state in the wall time of the threads with this name."""
    threads = [x for x in document["threads"] if x["name"] == thread]
    return sum(x["states_ns"].get(state, 0) for x in threads) / sum(x["wall_ns"] for x in threads)
