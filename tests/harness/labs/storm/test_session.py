"""`stallscope lab storm` from the command line, and its recording."""

import json
from pathlib import Path

import msgspec
import pytest

from harness.cli.command_line import main
from harness.io.recorder import Recorder
from harness.labs.storm.panel import panels
from harness.labs.storm.result import StormResult

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


@pytest.mark.live
def test_the_recording_of_a_measured_storm_has_the_machines_settings(
    result: StormResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "storm"
    measured = msgspec.structs.replace(result, source="measured")
    with Recorder("storm", "/srv", folder, group="lab") as recorder:
        kept = recorder.keep(measured, panels(measured))
    recorder.show(kept, [], as_json=True)
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["cpus"] >= 1
    assert {"idle_governor", "states", "frequencies", "turbo_allowed", "warnings"} <= set(settings)
    assert json.loads((folder / "recording.json").read_text())["settings"] == settings
    assert '<th scope="row">sleep states</th>' in (folder / "report.html").read_text()
