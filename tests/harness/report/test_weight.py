"""`report` of recordings with switches: what they were recorded for is shown by default."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.commands.report import command
from harness.recordings.weight import keep_weight
from stallscope.recordings import MANIFEST
from tests.topdown.waits.test_sample_weights import two_phases
from topdown.waits.weight import Weight


@pytest.fixture
def run(tmp_path: Path) -> Path:
    two_phases().write(tmp_path / "samples.perf")
    manifest = {"schema": "stallscope.recording/1.0", "complete": True, "kind": "samples"}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    (tmp_path / "waits.jsonl").touch()
    return tmp_path


def document(run: Path, *words: str) -> dict[str, object]:
    arguments = [str(run), "--no-page", "--json", *words]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    shown: dict[str, object] = json.loads(result.output)
    return shown


def test_a_recording_of_waits_is_shown_by_state(run: Path) -> None:
    assert document(run)["schema"] == "stallscope.waits/1"
    assert document(run, "--weight", "cpu")["schema"] == "stallscope.profile/1"


def test_a_profile_of_wall_time_is_shown_as_such(run: Path) -> None:
    keep_weight(run, Weight.WALL)
    shown = document(run)
    assert shown["schema"] == "stallscope.profile/1"
    assert "wall time" in json.dumps(shown["source"])


def test_a_period_of_waits_is_a_period_of_their_states(run: Path) -> None:
    shown = document(run, "--period", "0.1-0.2")
    assert shown["schema"] == "stallscope.waits/1"
    assert shown["wall_ns"] == 100_000_000
