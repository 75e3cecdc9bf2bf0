"""The files of a recording of idle intervals."""

from pathlib import Path

import pytest

from harness.cstates.record.files import make_directory, read_result, write_manifest, write_result
from harness.cstates.record.result import RecordingEnd
from stallscope.errors import RecordingError, UsageError
from stallscope.recordings import read_manifest
from tests.harness.cstates.record.decoded import document, interval, read

RECORDINGS = Path(__file__).parents[3] / "recordings"


def test_a_written_result_is_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    make_directory(folder, force=False)
    result = read(document(interval(100)))
    write_result(folder, result)
    assert read_result(folder) == result


def test_a_recording_without_a_result_is_not_finished(tmp_path: Path) -> None:
    write_manifest(tmp_path, ("work",), begin_ns=1, end=None)
    with pytest.raises(RecordingError, match="it is not a finished recording") as error:
        read_result(tmp_path)
    assert "stallscope cstates record" in error.value.remedy


def test_a_recording_of_another_kind_is_named() -> None:
    with pytest.raises(UsageError, match="its kind is") as error:
        read_result(RECORDINGS / "probe")
    assert "stallscope report" in error.value.remedy


def test_the_manifest_is_complete_when_the_recording_has_ended(tmp_path: Path) -> None:
    write_manifest(tmp_path, ("work",), begin_ns=1, end=None)
    begun = read_manifest(tmp_path / "recording.json")
    assert not begun.complete
    assert begun.target.command == ("work",)
    write_manifest(tmp_path, (), begin_ns=1, end=RecordingEnd(reason="duration"))
    ended = read_manifest(tmp_path / "recording.json")
    assert ended.complete
    assert ended.end_reason == "duration"
    assert ended.target.kind == "cpus"
