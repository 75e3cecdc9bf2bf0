from pathlib import Path

from harness.recordings.weight import FILE, keep_weight, recorded_weight
from topdown.waits.weight import Weight


def test_the_weight_of_a_recording_is_kept(tmp_path: Path) -> None:
    assert recorded_weight(tmp_path) is None
    keep_weight(tmp_path, Weight.OFF_CPU)
    assert recorded_weight(tmp_path) == Weight.OFF_CPU


def test_a_damaged_weight_is_none(tmp_path: Path) -> None:
    for content in ("", "{", '{"weight": "heavy"}', "[1]"):
        (tmp_path / FILE).write_text(content)
        assert recorded_weight(tmp_path) is None
