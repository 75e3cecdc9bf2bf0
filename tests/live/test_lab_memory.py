"""`stallscope lab memory` on the real machine: relations between latencies, not their values."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from stallscope.programs import program
from tests.documents import assert_valid

STALLSCOPE = Path(sys.executable).with_name("stallscope")
BRIEF = ("lab", "memory", "--quick", "--max-size", "8M", "--strides", "4096,4160", "--threads", "1")


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, str, Path]:
    """The document, standard error and folder of a brief run, shared by several tests."""
    folder = tmp_path_factory.mktemp("lab")
    outputs = ("-o", str(folder / "curve.svg"), "-o", str(folder / "curve.json"))
    run = subprocess.run(
        [STALLSCOPE, *BRIEF, "--json", *outputs], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert_valid("lab.memory", run.stdout)
    return json.loads(run.stdout), run.stderr, folder


def test_a_larger_ring_is_slower_level_by_level(brief: tuple[dict, str, Path]) -> None:
    document = brief[0]
    assert document["schema"] == "stallscope.lab.memory/1"
    assert not document["interrupted"]
    huge = {
        p["ring_bytes"]: p["min_ns"] for p in document["curve"]["points"] if p["pages"] == "huge"
    }
    assert max(huge) == 8 * 2**20
    sysfs = {cache["level"]: cache["size_bytes"] for cache in document["machine"]["caches"]}
    l1 = sysfs.get(1, 32 * 2**10)
    within, beyond = huge[2 ** (l1.bit_length() - 2)], huge[2 ** (l1.bit_length() + 1)]
    assert 1.2 * within < beyond
    assert 1.2 * beyond < huge[8 * 2**20]


def test_levels_are_ascending_and_compared_with_sysfs(brief: tuple[dict, str, Path]) -> None:
    document = brief[0]
    detected = [row["detected"] for row in document["levels"] if row["detected"]]
    assert len(detected) >= 2
    assert all(a["latency_ns"] < b["latency_ns"] for a, b in pairwise(detected))
    sysfs = [cache["size_bytes"] for cache in document["machine"]["caches"]]
    assert [row["sysfs_bytes"] for row in document["levels"] if row["sysfs_bytes"]] == sysfs


def test_every_point_reports_its_pages(brief: tuple[dict, str, Path]) -> None:
    document = brief[0]
    for section in ("curve", "strides"):
        assert document[section]["points"]
        for point in document[section]["points"]:
            (thread,) = point["threads"]
            assert 0 < point["min_ns"] <= point["median_ns"] <= point["max_ns"]
            assert len(thread["latency_ns"]) == 5
            assert thread["obtained_pages"] in (
                "hugetlb",
                "transparent",
                "partly transparent",
                "small",
            )
            if point["pages"] == "small":
                assert thread["obtained_pages"] == "small"
                assert thread["huge_bytes"] == 0
            counted = [
                name for name, count in thread["counts_per_step"].items() if count is not None
            ]
            assert not set(counted) & set(document["counters"]["refused"])
    assert document["threads"]["note"] == "--threads is 1"


def test_written_files_are_named(brief: tuple[dict, str, Path]) -> None:
    document, messages, folder = brief
    assert json.loads((folder / "curve.json").read_text()) == document
    assert "<svg" in (folder / "curve.svg").read_text()
    assert messages.count("wrote ") == 2


def test_ctrl_c_keeps_the_measured_points() -> None:
    with subprocess.Popen(
        [STALLSCOPE, "lab", "memory", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as lab:
        wait_until_it_measures(wait_for_child(lab))
        os.killpg(lab.pid, signal.SIGINT)
        output, messages = lab.communicate(timeout=60)
    assert lab.returncode == 0, messages
    assert_valid("lab.memory", output)
    document = json.loads(output)
    assert document["interrupted"]
    assert document["curve"]["points"]
    assert document["nodes"]["note"] == "interrupted before it"


def wait_for_child(lab: subprocess.Popen[str]) -> int:
    """The pid of the measuring program, as soon as it runs."""
    while not (children := psutil.Process(lab.pid).children()):
        assert lab.poll() is None
    return children[0].pid


def wait_until_it_measures(child: int) -> None:
    """Return when the program has written some points, by its bytes passed to write()."""
    written = Path(f"/proc/{child}/io")
    while int(written.read_text().split("wchar: ")[1].split()[0]) < 5_000:
        pass


def test_errors_of_the_program_are_reported() -> None:
    memory = program("stallscope-memory")
    wrong = subprocess.run(
        [memory, "--plan", "/nonexistent"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "empty or cannot be read" in wrong.stderr
    odd = subprocess.run([memory, "--frobnicate"], capture_output=True, text=True, check=False)
    assert odd.returncode == 2
    assert "remedy: see stallscope-memory --help" in odd.stderr
    plan = {"schema": "stallscope.memory-plan/1", "repeats": 1, "repeat_ns": 100000}
    point = {
        "lines": 64,
        "stride_bytes": 64,
        "pages": "small",
        "cpus": [min(os.sched_getaffinity(0))],
    }
    plan["points"] = [{**point, "node": 1000}, {**point, "cpus": [60000]}, point]
    run = subprocess.run(
        [memory], input=json.dumps(plan), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert [line["event"] for line in lines] == ["hello", "skipped", "skipped", "point"]
    assert "NUMA node 1000" in lines[1]["why"]
    assert "CPU 60000" in lines[2]["why"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [memory],
            input=json.dumps(plan),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 6
    assert "cannot write to standard output" in ended.stderr
