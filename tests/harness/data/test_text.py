"""The text of `stallscope data`."""

from pathlib import Path

from harness.data.session import data_of_recording
from harness.data.text import data_text
from tests.captures.memory_capture import HIT_L1, STORE, Access, write_capture
from tests.harness.data.conftest import LINE, SHARED, THREADS

CAPTURES = Path(__file__).parents[2] / "captures"


def test_false_sharing_names_words_and_threads(capture: Path) -> None:
    text = " ".join(data_text(data_of_recording(capture), top=5).split())
    assert "False sharing: 1 pair of words" in text
    assert "written by writer (11)" in text
    assert "read by reader (12)" in text


def test_a_recording_without_addresses_says_how_to_record_them() -> None:
    text = data_text(data_of_recording(CAPTURES / "file.perf"), top=5)
    assert "Data addresses: unavailable" in text
    assert "perf mem record" in text


def test_code_without_types_says_how_to_get_them() -> None:
    text = " ".join(data_text(data_of_recording(CAPTURES / "file.perf"), top=5).split())
    assert "build it with -g" in text


def test_names_of_threads_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    hostile = [Access(LINE, STORE | HIT_L1, tid=13)] * 20 + SHARED[20:]
    write_capture(path, hostile, threads=THREADS)
    assert "\x1b" not in data_text(data_of_recording(path), top=5)
