"""Where a run writes its recording and the output of its command."""

import os
import sys
from pathlib import Path

import pytest

from harness.topdown.options import OutputForm
from harness.topdown.run_outputs import children_to_stderr, command_output, recording_directory


def test_a_recording_without_a_name_is_temporary(tmp_path: Path) -> None:
    with recording_directory(None) as folder:
        assert folder.parent.is_dir()
        assert not folder.exists()
    assert not folder.parent.exists()
    with recording_directory(tmp_path / "run") as named:
        assert named == tmp_path / "run"


def test_a_command_does_not_write_into_a_document(capfd: pytest.CaptureFixture[str]) -> None:
    assert command_output(OutputForm.JSON) is sys.stderr
    assert command_output(OutputForm.TEXT) is None
    for form in (OutputForm.TEXT, OutputForm.JSON):
        with children_to_stderr(form):
            os.write(1, f"{form.name} ".encode())
    os.write(1, b"after")
    assert capfd.readouterr() == ("TEXT after", "JSON ")
