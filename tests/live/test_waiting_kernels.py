"""Waiting programs of stallscope-kernels: their account of states adds up, and differs from their look-alikes'."""

import json
import subprocess
from typing import Any

import pytest

from stallscope.programs import program

pytestmark = pytest.mark.live

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
# These differ in counts instead.
OTHERS = ("short-and-long-waits", "condition-herd", "busy-neighbour")


def report(name: str, *options: str) -> Report:
    """Return the report of a run of 0.3 s."""
    words = [program("stallscope-kernels"), name, "--json", "--duration", "0.3", *options]
    result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    if "cannot make the cgroup" in result.stderr:
        pytest.skip("needs root: it makes a cgroup")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def share(document: Report, thread: str, state: str) -> float:
    """Return the share of a state in the wall time of the threads with this name."""
    threads = [x for x in document["threads"] if x["name"] == thread]
    return sum(x["states_ns"].get(state, 0) for x in threads) / sum(x["wall_ns"] for x in threads)


def check_sums(document: Report) -> None:
    assert len(document["threads"]) == document["parameters"]["threads"]
    for thread in document["threads"]:
        states = thread["states_ns"]
        assert sum(states.values()) == pytest.approx(thread["wall_ns"], rel=0.01)
        assert states["rest"] <= 0.05 * thread["wall_ns"]
        assert thread["wall_ns"] <= 1.01 * document["elapsed_ns"]


@pytest.mark.parametrize("name", [*RAISED, *OTHERS])
def test_the_states_of_each_thread_add_up_to_its_wall_time(name: str) -> None:
    for options in ((), ("--look-alike",)):
        check_sums(report(name, *options))


@pytest.mark.parametrize("name", RAISED)
def test_a_program_waits_more_than_its_look_alike(name: str) -> None:
    assert share(report(name), *RAISED[name]) > 1.2 * share(
        report(name, "--look-alike"), *RAISED[name]
    )


def test_a_broadcast_wakes_more_threads_per_item_than_the_look_alike() -> None:
    accounts = [report("condition-herd", *x)["account"] for x in ((), ("--look-alike",))]
    per_item = [x["wake_ups"] / x["items_taken"] for x in accounts]
    assert per_item[0] > 2 * per_item[1]


def test_the_readings_of_an_account_grow_to_its_end() -> None:
    for thread in report("lock-hog")["threads"]:
        times = [reading["at_ns"] for reading in thread["readings"]]
        assert times == sorted(times)
        assert times[-1] - times[0] == thread["wall_ns"]
        assert thread["readings"][-1]["states_ns"] == thread["states_ns"]
        assert 5 < len(times) < 50
