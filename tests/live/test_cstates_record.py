"""`stallscope cstates record` on this machine's own kernel."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cstates.simulation.trace import read_trace
from harness.cli.command_line import main

pytestmark = pytest.mark.live
INSTANCES = Path("/sys/kernel/tracing/instances")


@pytest.fixture
def traced() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: tracepoints are its own")
    if not INSTANCES.is_dir():
        pytest.skip("needs the kernel's tracefs")


def recorded(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["cstates", "record", "--json", "-o", str(folder), *words]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.usefixtures("traced")
def test_the_number_of_intervals_matches_the_kernels_counters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CPUs may enter and leave a few states between reading the counters and tracing."""
    document = recorded(tmp_path / "run", capsys, "--duration", "0.4")
    if document["source"] == "counters":
        pytest.skip(f"needs the kernel's tracepoints: {document['why_counters_only']}")
    counted = sum(
        state["over_interval"]["entries"] or 0
        for cpu in document["machine"]["cpus"]
        for state in cpu["states"]
    )
    if not any(cpu["states"] for cpu in document["machine"]["cpus"]):
        pytest.skip("needs the kernel's cpuidle: there are no states whose entries it counts")
    lost = document["lost_events"] + document["intervals_discarded"]
    assert document["intervals"] <= counted + 20
    if document["intervals"] < counted * 0.8 - 20 - 2 * lost:
        assert any("does not trace" in text for text in document["warnings"])  # and reported
    assert sum(row["wakes"] for row in document["wakes"]) == document["intervals"]
    assert not list(INSTANCES.glob(f"stallscope-{os.getpid()}-*"))
    if document["intervals"]:
        trace = read_trace(tmp_path / "run" / "idle.csv")
        assert trace.idle_ns.size == document["intervals_kept"]
        assert trace.entered is not None
        assert trace.next_event_ns is not None


def test_a_recording_of_counters_only_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = recorded(tmp_path / "run", capsys, "--counters-only", "--duration", "0.02")
    assert (document["source"], document["why_counters_only"]) == (
        "counters",
        "requested by --counters-only",
    )
    assert document["intervals"] is None
    assert not (tmp_path / "run" / "idle.csv").exists()
    assert main(["report", str(tmp_path / "run")]) == 0
    assert "counters only: requested" in capsys.readouterr().out
    assert (tmp_path / "run" / "report.html").is_file()


def test_the_commands_affinity_is_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    allowed = os.sched_getaffinity(0)
    words = ("--counters-only", "--duration", "0.5", "--", "sleep", "3600")
    try:
        os.sched_setaffinity(0, {min(allowed)})  # which the command inherits
        document = recorded(tmp_path / "run", capsys, *words)
    finally:
        os.sched_setaffinity(0, allowed)
    assert document["command_cpus"] == [min(allowed)]


def test_failing_and_missing_commands_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "run")
    assert main(["cstates", "record", "--counters-only", "-o", folder, "--", "false"]) == 4
    assert "exited 1" in capsys.readouterr().err
    assert main(["cstates", "record", "-o", folder, "--", "true"]) == 2  # it already exists
    again = ["cstates", "record", "--counters-only", "--force", "-o", folder, "--"]
    assert main([*again, "/nowhere/at/all"]) == 4
    assert "cannot run /nowhere/at/all" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()  # no recording was made


def test_another_directory_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "keep").write_text("mine")
    words = ["cstates", "record", "--counters-only", "--duration", "0.02", "--force"]
    assert main([*words, "-o", str(tmp_path)]) == 2
    assert (tmp_path / "keep").read_text() == "mine"
