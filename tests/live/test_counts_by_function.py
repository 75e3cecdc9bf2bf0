"""Counts by function of events that every machine has: page faults of a known program."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stallscope._native import Capture, read_capture
from tests.peers import run_peer

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]
ROUNDS = 10
Document = dict[str, Any]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")
    program = tmp_path_factory.mktemp("faults") / "faults"
    source = Path(__file__).parent / "targets" / "faults.c"
    command = ["gcc", "-O1", "-g", "-fno-omit-frame-pointer", source, "-o", program]
    subprocess.run(command, check=True)
    return program


def stallscope(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stallscope", *words],
        capture_output=True, text=True, check=False, cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(faults: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the recording ``run`` of the program and the document profile.json."""
    draft = tmp_path_factory.mktemp("run")
    run = stallscope(
        "profile", "-e", "task-clock", "--with", "page-faults,minor-faults", "-F", "4999",
        "--stacks", "fp", "-o", "run", "--json", "--", faults, str(ROUNDS), cwd=draft,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    (draft / "profile.json").write_text(run.stdout)
    return draft


@pytest.fixture(scope="module")
def document(folder: Path) -> Document:
    return json.loads((folder / "profile.json").read_text())


def totals(document: Document, event: str) -> dict[str, float]:
    rows = document["counted"]["functions"]
    return {row["name"]: row["total_counts"][event] for row in rows if row["total_counts"]}


def test_page_faults_are_counted_by_function(document: Document) -> None:
    """An interval with a change of function blends at most some hundred faults."""
    if document["lost"] or document["counted"]["left_out"]["gap"]:
        pytest.skip("needs perf events: samples were lost on a busy machine")
    many, few = ROUNDS * 3000, ROUNDS * 1000
    for event in ("page-faults", "minor-faults"):
        result = totals(document, event)
        assert result["many"] == pytest.approx(many, rel=0.15)
        assert result["few"] == pytest.approx(few, rel=0.25)
        whole = document["counted"]["total"]["counts"][event]
        assert whole == pytest.approx(many + few, rel=0.02)


def test_functions_and_the_rest_add_up_to_the_counters(document: Document, folder: Path) -> None:
    manifest = json.loads((folder / "run" / "recording.json").read_text())
    group = manifest["group"]
    assert group["events"] == ["page-faults", "minor-faults"]
    assert group["leader"] is None
    changes = document["counted"]["total"]["counts"]
    for event, whole in zip(group["events"], group["counts"], strict=True):
        assert changes[event] <= whole
        assert changes[event] >= 0.9 * whole or document["counted"]["gap_share"] > 0.01


def sum_of_last_values(capture: Capture, event: str) -> int:
    """The sum of an event's counters, one per CPU, at their last samples."""
    (number,) = [i for i, attribute in enumerate(capture.attributes) if attribute.name == event]
    last: dict[int, int] = {}
    for row, stream in enumerate(capture.read_stream.tolist()):
        values = slice(*capture.read_offset[row : row + 2].tolist())
        (value,) = capture.read_value[values][capture.read_event[values] == number]
        last[stream] = max(last.get(stream, 0), int(value))
    return sum(last.values())


def test_perf_lists_every_event_of_the_group(folder: Path) -> None:
    if shutil.which("perf") is None:
        pytest.skip("needs the program perf")
    samples = folder / "run" / "samples.perf"
    run = run_peer(
        ["perf", "script", "-i", samples, "-F", "event,period"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    faults = [line.split() for line in run.stdout.splitlines() if "page-faults" in line]
    whole = sum_of_last_values(read_capture(samples), "page-faults")
    assert sum(int(words[0]) for words in faults) == whole


def test_the_text_and_the_page_have_the_table(folder: Path) -> None:
    run = stallscope("report", "run", "--top", "8", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "page-faults" in run.stdout
    assert "Counts by function" in (folder / "run" / "report.html").read_text()


def test_a_leader_without_samples_is_counted(faults: Path, collector: Path, tmp_path: Path) -> None:
    run = subprocess.run(
        [collector, "-o", "run", "--leader", "page-faults", "-e", "task-clock", "-F", "4999",
         "--stacks", "fp", "--", faults, str(ROUNDS)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    capture = read_capture(tmp_path / "run" / "samples.perf")
    names = [attribute.name for attribute in capture.attributes]
    first = capture.read_offset[:-1].astype(int)
    assert {names[event] for event in capture.read_event[first]} == {"page-faults"}
    assert sum_of_last_values(capture, "page-faults") >= 0.9 * ROUNDS * 4000


@pytest.mark.parametrize(
    ("events", "code", "message"),
    [
        ("no_such_event", 2, "no_such_event"),
        ("X=4:0xffff:", 2, "X=4:0xffff:"),
        (",".join(["page-faults"] * 40), 2, "at most 31"),
        ("nothing=99999:1", 3, "in one group"),
    ],
)
def test_events_that_cannot_be_counted_are_named(
    collector: Path, tmp_path: Path, events: str, code: int, message: str
) -> None:
    run = subprocess.run(
        [collector, "-o", "run", "-e", "task-clock", "--with", events, "--", "true"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == code, run.stderr
    assert message in run.stderr
    assert not (tmp_path / "run").exists()


def test_slots_without_counters_are_refused_with_a_remedy(tmp_path: Path) -> None:
    devices = Path("/sys/bus/event_source/devices")
    if (devices / "cpu").exists() or (devices / "cpu_core").exists():
        pytest.skip("needs a machine without hardware counters: this one has them")
    run = stallscope("profile", "--slots", "--", "true", cwd=tmp_path)
    assert run.returncode == 3
    assert "--with page-faults" in run.stderr
    run = stallscope("profile", "--slots", "-e", "cycles", "--", "true", cwd=tmp_path)
    assert run.returncode == 2
