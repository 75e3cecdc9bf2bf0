"""Complete recordings have the machine settings."""

import json
from pathlib import Path

import pytest

from harness.recordings.settings import keep_settings, recorded_facts
from harness.recordings.settings_text import settings_now


def recording(folder: Path, **fields: object) -> Path:
    (folder / "recording.json").write_text(json.dumps({"samples": 3, **fields}))
    return folder


@pytest.mark.live
def test_settings_are_added_to_a_complete_recording(tmp_path: Path) -> None:
    folder = recording(tmp_path, complete=True)
    keep_settings(folder, settings_now())
    kept = json.loads((folder / "recording.json").read_text())
    assert kept["samples"] == 3
    assert kept["settings"]["cpus"] >= 1
    assert {"sleep states", "frequency"} <= set(recorded_facts(folder))


@pytest.mark.live
def test_an_incomplete_or_missing_recording_is_not_changed(tmp_path: Path) -> None:
    folder = recording(tmp_path, complete=False)
    before = (folder / "recording.json").read_bytes()
    keep_settings(folder, settings_now())
    keep_settings(folder, None)
    keep_settings(tmp_path / "none", settings_now())
    assert (folder / "recording.json").read_bytes() == before
    assert recorded_facts(folder) == {}
    assert not (tmp_path / "none").exists()
