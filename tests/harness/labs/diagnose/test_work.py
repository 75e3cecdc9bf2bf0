"""Programs with a known cause and their cured variants do the same work."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.labs.diagnose import work


def test_records_are_flushed_one_by_one_or_in_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(work, "compute", lambda: None)
    monkeypatch.setattr(work.os, "fdatasync", flushed.append)
    for records, flushes in ((1, 64), (64, 1)):
        flushed.clear()
        unit = work.flushes(tmp_path / "log", records)
        for _ in range(64):
            unit()
        assert len(flushed) == flushes


def test_a_program_ends_on_sigterm_with_a_report(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "harness.labs.diagnose.work", "scan", str(tmp_path / "file")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        while not (tmp_path / "file").exists() and process.poll() is None:
            pass
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
    report = json.loads(output)
    assert report["iterations"] >= 1
    assert report["parameters"] == {"threads": 1}
