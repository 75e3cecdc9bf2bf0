"""Machine settings as text."""

from pathlib import Path

import pytest

from harness.recordings.settings import keep_settings, recorded_facts
from harness.recordings.settings_text import settings_now
from tests.harness.recordings.settings_files import recording


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
