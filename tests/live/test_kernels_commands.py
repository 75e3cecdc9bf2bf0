"""stallscope-kernels NAME and --list: output, and errors of invalid command lines."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.live.known_programs import run_kernels

HELD_OUT = [
    "hash-lookups",
    "copy-and-add",
    "multiply-chain",
    "mixed-generators",
    "opcode-dispatch",
    "square-roots",
    "state-walk",
    "merge-lists",
]
WAITING = [
    "lock-hog",
    "lock-holder-on-slow-disk",
    "idle-sleeper",
    "preempted-holder",
    "lock-convoy",
    "pipeline-slow-middle",
    "single-threaded-server",
    "states",
    "wall-halves",
    "short-and-long-waits",
    "condition-herd",
    "futex-kinds",
    "mapped-file-faults",
    "deep-queue",
    "slow-peer",
    "oversubscribed",
    "busy-neighbour",
    "cgroup-throttled",
]
REQUESTS = [
    "slow-requests-disk",
    "slow-requests-lock",
    "slow-requests-compute",
    "slow-requests-memory",
]
LOOK_ALIKES = ["o-n-critical-section", "hash-under-lock", "spin-convoy"]
NAMES = [
    "independent-adds",
    "dependent-chain",
    "divide-chain",
    "pointer-chase-l1",
    "pointer-chase-l2",
    "pointer-chase-l3",
    "pointer-chase-dram",
    "streaming",
    "random-branches",
    "periodic-branches",
    "large-straight-code",
    "large-branchy-code",
    "store-forwarding",
    "false-sharing",
    "contended-mutex",
    "thundering-herd",
    *LOOK_ALIKES,
    "page-faults",
    "system-calls",
    "byte-reads",
    "sleep-wake",
    *HELD_OUT,
    *WAITING,
    *REQUESTS,
]


def test_the_list_names_every_kernel_and_its_answer(kernels: Path) -> None:
    result = run_kernels(kernels, "--list", "--json")
    assert result.returncode == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "stallscope.kernels.list/1"
    assert [kernel["name"] for kernel in document["kernels"]] == NAMES
    for kernel in document["kernels"]:
        assert all(kernel[key] for key in ("expected", "what", "without_counters"))
    assert [kernel["name"] for kernel in document["kernels"] if kernel["held_out"]] == HELD_OUT
    assert [kernel["name"] for kernel in document["kernels"] if kernel["look_alike"]] == [
        *LOOK_ALIKES,
        *WAITING,
        *REQUESTS,
    ]
    assert [
        kernel["name"] for kernel in document["kernels"] if kernel["measures_states"]
    ] == WAITING
    words = run_kernels(kernels, "--list").stdout.splitlines()
    assert [line.split()[0] for line in words] == ["kernel", *NAMES]


def test_the_documentation_lists_the_same_kernels_and_answers(
    kernels: Path, checkout: Path
) -> None:
    listed = json.loads(run_kernels(kernels, "--list", "--json").stdout)["kernels"]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in (checkout / "docs" / "kernels.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    assert [row[:2] for row in rows] == [[x["name"], x["expected"]] for x in listed]


@pytest.mark.parametrize("name", NAMES)
def test_a_run_reports_its_results(kernels: Path, name: str) -> None:
    result = run_kernels(kernels, name, "--iterations", "3", "--json")
    if "cannot make the cgroup" in result.stderr:
        pytest.skip("needs root: it makes a cgroup")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["schema"] == "stallscope.kernels/1"
    assert report["kernel"] == name
    assert report["iterations"] == 3 * report["parameters"]["threads"]
    assert report["elapsed_ns"] > 0
    assert report["cpu_ns"] > 0
    assert isinstance(report["result"], int)


def test_threads_and_cpus_follow_the_options(kernels: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    result = run_kernels(
        kernels, "false-sharing", "--iterations", "10", "--threads", "3", "--cpus", str(cpu)
    )
    report = json.loads(result.stdout)
    assert report["parameters"]["threads"] == 3
    assert report["result"] == 30


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["dependent-chain", "--iterations", "0"], "--iterations"),
        (["dependent-chain", "--iterations", "5", "--duration", "1"], "--duration"),
        (["dependent-chain", "--duration", "-1"], "--duration"),
        (["dependent-chain", "--threads", "0"], "--threads: dependent-chain takes 1 to 64"),
        (["sleep-wake", "--threads", "3"], "--threads: sleep-wake takes 2 to 2"),
        (["dependent-chain", "--cpus", "one"], "'one' is not a list of CPUs"),
        (["dependent-chain", "--padded"], "--padded"),
        (["--json"], "--list"),
        ([], "name a kernel, or mix"),
        (["independent-add"], "independent-add"),
    ],
)
def test_an_invalid_option_is_named(kernels: Path, arguments: list[str], names: str) -> None:
    result = run_kernels(kernels, *arguments)
    assert result.returncode == 2
    assert names in result.stderr
    assert "remedy: see stallscope-kernels" in result.stderr
    assert result.stdout == ""


def test_a_missing_cpu_is_named(kernels: Path) -> None:
    result = run_kernels(kernels, "dependent-chain", "--iterations", "1", "--cpus", "1023")
    assert result.returncode == 3
    assert "cannot pin a thread to CPU 1023" in result.stderr


def test_a_full_disk_is_reported(kernels: Path) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [kernels, "dependent-chain", "--iterations", "1"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 6
    assert "cannot write to standard output" in result.stderr
