"""Complete recordings have the machine settings."""

import json
from pathlib import Path

import pytest

from harness.recordings.settings import keep_settings, recorded_facts
from harness.recordings.settings_text import settings_now
from tests.harness.recordings.settings_files import recording


@pytest.mark.live
def test_settings_are_added_to_a_complete_recording(tmp_path: Path) -> None:
    folder = recording(tmp_path, complete=True)
    keep_settings(folder, settings_now())
    kept = json.loads((folder / "recording.json").read_text())
    assert kept["samples"] == 3
    assert kept["settings"]["cpus"] >= 1
    assert {"sleep states", "frequency"} <= set(recorded_facts(folder))
