"""`stallscope diff` of recordings on disk."""

import json
import shutil
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.diff.session import machine_warnings
from stallscope.errors import ExitCode, UsageError
from stallscope.recordings import MANIFEST, open_recording
from tests.documents import assert_valid
from tests.harness.topdown.counters_recording import counters_recording

CAPTURE = "tests/captures/file.perf"


def test_a_capture_is_equal_to_itself(tmp_path, capsys) -> None:
    page = tmp_path / "d.html"
    assert main(["diff", CAPTURE, CAPTURE, "--fail-above", "0%", "-o", str(page)]) == 0
    assert "No frame differs" in capsys.readouterr().out
    assert "<svg" in page.read_text()
    assert main(["diff", CAPTURE, CAPTURE, "--json"]) == 0
    text = capsys.readouterr().out
    assert_valid("diff", text)
    frames = json.loads(text)["frames"]
    assert {"name", "a_share", "b_share", "delta", "low", "high", "flagged"} <= set(frames[0])


def test_recordings_of_different_kinds_are_refused(tmp_path, capsys) -> None:
    counters = counters_recording(tmp_path / "run")
    assert main(["diff", str(counters), CAPTURE]) == ExitCode.USAGE
    assert "compare recordings of one kind" in capsys.readouterr().err


def _pair(tmp_path: Path, host: str) -> tuple[Path, Path]:
    first = counters_recording(tmp_path / "a")
    second = tmp_path / "b"
    shutil.copytree(first, second)
    manifest = json.loads((second / MANIFEST).read_text())
    manifest["host"] = (manifest.get("host") or {}) | {"hostname": host, "kernel_release": "9.9"}
    (second / MANIFEST).write_text(json.dumps(manifest))
    return first, second


def test_different_machines_need_force_and_the_text_says_so(tmp_path, capsys) -> None:
    first, second = _pair(tmp_path, "elsewhere")
    with pytest.raises(UsageError, match="different machines: hosts"):
        machine_warnings(open_recording(first), open_recording(second), force=False)
    page = tmp_path / "d.html"
    assert main(["diff", str(first), str(second), "--force", "-o", str(page)]) == 0
    assert "Recorded on different machines" in capsys.readouterr().out
    assert "Recorded on different machines" in page.read_text()


def test_other_kinds_are_named(capsys) -> None:
    idle = "tests/recordings/idle"
    assert main(["diff", idle, idle]) == ExitCode.UNREADABLE
    assert "cannot be compared" in capsys.readouterr().err
