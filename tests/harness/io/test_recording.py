"""Recordings of disk measurements: replacement, removal, manifest and settings."""

import json
import re
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.io.recording import (
    KIND,
    make_directory,
    write_manifest,
)
from harness.recordings.directory import is_recording_of
from stallscope.errors import UsageError
from stallscope.recordings import read_manifest
from tests.harness.io.probe_recording import recording_in


def test_a_manifest_without_an_end_is_incomplete(tmp_path: Path) -> None:
    recording = recording_in(tmp_path)
    write_manifest(recording, end=None)
    assert is_recording_of(KIND, tmp_path)
    assert not read_manifest(tmp_path / "recording.json").complete
    write_manifest(recording, end="signal", modelled=True, warnings=["noisy"])
    manifest = read_manifest(tmp_path / "recording.json")
    assert (manifest.complete, manifest.end_reason, manifest.source.kind) == (
        True,
        "signal",
        "modelled",
    )
    assert manifest.notices[0].message == "noisy"
    assert manifest.target.command[-1] == "/srv"


def test_only_the_files_of_a_disk_recording_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    make_directory(folder, force=False)
    write_manifest(recording_in(folder), end="duration")
    for name in ("direct.hlog", "probe.json", "report.html", "mine.txt"):
        (folder / name).write_text("{}")
    with pytest.raises(UsageError, match="already exists"):
        make_directory(folder, force=False)
    make_directory(folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == ["mine.txt", "recording.json"]
    with pytest.raises(UsageError, match="not a recording of a disk"):
        make_directory(tmp_path, force=True)
    with pytest.raises(UsageError, match="cannot write"):
        make_directory(tmp_path / "none" / "run", force=False)


def test_files_outside_of_the_recording_are_not_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "precious").write_text("x")
    manifest = {"kind": "io", "files": [{"name": "../precious"}, {"name": ""}, {}]}
    (folder / "recording.json").write_text(json.dumps(manifest))
    make_directory(folder, force=True)
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("name", ["folder", "..", "a\0b"])
def test_an_invalid_file_name_in_a_manifest_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    manifest = {"kind": "io", "files": [{"name": name}]}
    (tmp_path / "recording.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="cannot replace"):
        make_directory(tmp_path, force=True)
    assert (tmp_path / "folder").is_dir()


def facts_of(page: str) -> set[str]:
    """Return the labels in the head of a page."""
    return set(re.findall(r'<th scope="row">([^<]*)</th>', page))


@pytest.mark.live
def test_the_machine_settings_are_recorded_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The manifest, the JSON, the text, the page and the report have them."""
    folder = tmp_path / "run"
    command = ["io", "queue", str(tmp_path), "--interval", "0.1", "-o", str(folder)]
    assert main([*command, "--json"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert {"idle_governor", "states", "frequencies", "turbo_allowed", "warnings"} <= set(settings)
    assert json.loads((folder / "recording.json").read_text())["settings"] == settings
    assert {"sleep states", "frequency"} <= facts_of((folder / "report.html").read_text())
    assert main(["report", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == settings
    assert main(["report", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "\nsleep states: " in text
    assert "\nfrequency: " in text
    assert main([*command, "--force"]) == 0
    assert "\nsleep states: " in capsys.readouterr().out


@pytest.mark.live
def test_without_a_measurement_there_are_no_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["io", "queue", str(tmp_path), "-o", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] is None
    assert json.loads((folder / "recording.json").read_text())["settings"] is None
    assert main(["report", str(folder)]) == 0
    assert "sleep states: " not in capsys.readouterr().out
    assert "sleep states" not in facts_of((folder / "report.html").read_text())
