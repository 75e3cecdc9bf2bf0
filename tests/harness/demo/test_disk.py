"""The demo's part about the disk: recordings and pages, or the reason why there are none."""

import json
from pathlib import Path

import pytest

from harness.demo import disk as demonstration
from harness.io.curve.options import CurveOptions
from harness.io.probe.options import ProbeRequest
from stallscope.errors import UnableError


def test_all_recordings_have_their_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demonstration.disk_part(tmp_path, 100, disk="sim:servers=4,service=2ms")
    told = capsys.readouterr().out
    for verb in ("probe", "curve", "storm"):
        assert (tmp_path / f"disk-{verb}" / "report.html").is_file()
        assert str(tmp_path / f"disk-{verb}") in told
    knee = json.loads((tmp_path / "disk-curve" / "curve.json").read_text())["recommended"]["knee"]
    assert knee == 4


def test_where_it_cannot_be_measured_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(request: ProbeRequest | CurveOptions, *, as_json: bool) -> int:
        raise UnableError("no disk is here", "name another")

    monkeypatch.setattr(demonstration, "run_probe", refused)
    demonstration.disk_part(tmp_path, 200)
    assert "The disk was not measured: no disk is here; name another." in capsys.readouterr().out
