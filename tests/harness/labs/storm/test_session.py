"""`stallscope lab storm` from the command line, and its recording."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main

PATH = "sim:servers=4,service=1ms"
WORDS = ["lab", "storm", PATH, "--seconds", "1", "--rounds", "1", "--recommended", "5"]


def test_a_recording_is_reported_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "storm"
    picture = tmp_path / "storm.svg"
    assert main([*WORDS, "--limits", "128", "-o", str(folder), "-o", str(picture)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "verdict: no verdict: too few rounds passed" in text
    assert "1 pair of rounds" in text
    assert "A reader beside a storm of writes" in (folder / "report.html").read_text()
    assert "writer's bandwidth" in picture.read_text()
    manifest = json.loads((folder / "recording.json").read_text())
    assert manifest["command"] == ["stallscope", "lab", "storm", PATH]
    assert main(["report", str(folder)]) == 0
    assert text.partition("recording")[0] in " ".join(capsys.readouterr().out.split())
    assert main(["report", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stallscope.lab.storm/1"
    assert document["settings"] is None  # the disk is simulated
