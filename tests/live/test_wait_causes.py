"""Known answers of causes and owners: the cause of the waits of waiting programs is named.

Each program runs for 0.8 s. On a busy machine a thread that others wait for may itself wait for a
CPU for the longer part; then it is the cause "run_queue" with the same name.
`benchmarks/waits_known.py` runs them ten times and has the bars.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.wait_accuracy import named_waits
from harness.labs.waits.measurement import diagnose_program
from harness.labs.waits.waiting_programs import waiting_programs
from stallscope.programs import program

pytestmark = pytest.mark.live


def waits_of(kernel: str, folder: Path, *options: str) -> dict[str, Any]:
    """Return the document of `stallscope waits` on a waiting program."""
    command = [program("stallscope-kernels"), kernel, "--duration", "0.8", *options]
    words = [
        sys.executable,
        "-m",
        "stallscope",
        "waits",
        "--json",
        "-o",
        str(folder / "".join((kernel, *options))),
        "--",
        *map(str, command),
    ]
    result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 0, result.stderr
    documents = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    document: dict[str, Any] = next(d for d in documents if d.get("schema") == "stallscope.waits/1")
    if document["graph"]["missing"]:
        pytest.skip("needs the right to trace whole CPUs")
    return document


def test_the_disk_behind_a_lock_is_a_greater_cause_than_the_lock_holder(
    needs_root: None, tmp_path: Path
) -> None:
    document = waits_of("lock-holder-on-slow-disk", tmp_path)
    times = {(cause["kind"], cause["name"]): cause["wait_ns"] for cause in document["causes"]}
    assert times["disk", "disk"] > times.get(("thread", "holder"), 0)
    disk = next(cause for cause in document["causes"] if cause["kind"] == "disk")
    assert [link["name"] for link in disk["chain"]][-2:] == ["holder", "disk"]


def test_a_lock_holder_is_named_and_idle_sleepers_are_not(needs_root: None, tmp_path: Path) -> None:
    document = waits_of("idle-sleeper", tmp_path)
    assert document["causes"][0]["name"] == "holder"
    total = sum(cause["wait_ns"] for cause in document["causes"])
    # The main thread waits for the end of all threads for some milliseconds.
    sleepers = [cause["wait_ns"] for cause in document["causes"] if cause["name"] == "sleeper"]
    assert sum(sleepers) < 0.1 * total
    mutex = next(lock for lock in document["locks"] if lock["kind"] == "mutex")
    assert mutex["owner"]["name"] == "holder"
    assert mutex["owner"]["stack"]


def test_nearly_all_long_waits_for_a_lock_have_their_owner(needs_root: None) -> None:
    hog = next(waiting for waiting in waiting_programs() if waiting.name == "lock-hog")
    waits = named_waits(diagnose_program(hog, 2.0).analysis, "hog")
    assert waits is not None
    assert waits.right > 0.8  # the bar of 0.95 is that of benchmarks/waits_known.py
    assert waits.wrong < 0.1
    assert waits.with_stack > 0.9


def test_the_slow_middle_stage_of_a_pipeline_is_the_first_cause(
    needs_root: None, tmp_path: Path
) -> None:
    document = waits_of("pipeline-slow-middle", tmp_path)
    assert document["causes"][0]["name"] == "middle"
    assert ["middle"] in document["graph"]["knots"]
    conditions = [lock for lock in document["locks"] if lock["kind"] == "condition"]
    assert conditions
    assert all(lock["owner"] is None for lock in conditions)
    woken = [wait for wait in document["ended_waits"] if wait["waker"].startswith("middle")]
    functions = {name for wait in woken for name in wait["waker_functions"]}
    assert any("pthread_cond" in name for name in functions), document["wakers_unavailable"]


def test_the_single_thread_of_a_server_is_the_first_cause(needs_root: None, tmp_path: Path) -> None:
    document = waits_of("single-threaded-server", tmp_path)
    assert document["causes"][0]["name"] == "server"


def test_locks_inside_libc_have_no_owner_and_others_the_thread_that_holds_them(
    needs_root: None, tmp_path: Path
) -> None:
    document = waits_of("futex-kinds", tmp_path)
    inside = [lock for lock in document["locks"] if lock["kind"] == "libc-lock"]
    callers = {caller["function"] for lock in inside for caller in lock["callers"]}
    assert {"malloc", "__flockfile"} <= {name.partition("@")[0] for name in callers}
    assert all(lock["owner"] is None and lock["owner_unknown"] for lock in inside)
    longest = max(
        (lock for lock in document["locks"] if lock["kind"] == "mutex"),
        key=lambda lock: lock["wait_ns"],
    )
    assert longest["owner"]["name"] == "holder"


def signs_of(document: dict[str, Any]) -> list[str]:
    return [sign for lock in document["locks"] for sign in lock["signs"]]


def test_a_broadcast_for_one_item_is_a_herd_and_a_signal_is_not(
    needs_root: None, tmp_path: Path
) -> None:
    herd = waits_of("condition-herd", tmp_path)
    assert any("thundering herd" in sign for sign in signs_of(herd))
    single = waits_of("condition-herd", tmp_path, "--look-alike")
    assert not any("thundering herd" in sign for sign in signs_of(single))
