"""`stallscope report` of a recording of a disk."""

from pathlib import Path

import pytest

from harness.io.recording import (
    write_manifest,
)
from harness.recordings.directory import remove_empty
from harness.report.disk import report_disk
from stallscope.errors import UnableError
from stallscope.recordings import open_recording
from tests.harness.io.probe_recording import recording_in


def test_a_recording_without_a_result_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write_manifest(recording_in(folder), end=None)
    with pytest.raises(UnableError, match="holds no result"):
        report_disk(open_recording(folder), output=None, with_page=False, as_json=False)
    (folder / "probe.json").write_text("{}")
    remove_empty(folder)
    assert folder.exists()
    (folder / "probe.json").unlink()
    remove_empty(folder)
    assert not folder.exists()
