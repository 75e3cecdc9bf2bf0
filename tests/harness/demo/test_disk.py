"""The disk part of the demo: recordings and pages, or the reason why there are none."""

import json
from pathlib import Path

import pytest

from harness.demo import disk as demo_disk
from harness.io.curve.options import CurveOptions
from harness.io.probe.options import ProbeOptions
from stallscope.errors import UnableError


def test_every_recording_has_a_page_with_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = demo_disk.disk_part(tmp_path, 100, disk="sim:servers=4,service=2ms")
    printed = capsys.readouterr().out
    for verb in ("probe", "curve", "storm"):
        assert (tmp_path / f"disk-{verb}" / "report.html").is_file()
        assert str(tmp_path / f"disk-{verb}") in printed
    assert [page.path for page in pages] == [
        tmp_path / f"disk-{verb}" / "report.html" for verb in ("probe", "curve", "storm")
    ]
    assert "a read takes 2.0" in pages[0].verdict
    assert "limit" in pages[2].verdict
    storm = json.loads((tmp_path / "disk-storm" / "storm.json").read_text())
    assert storm["recommended"]["tried"], "the limit is found by trial"
    knee = json.loads((tmp_path / "disk-curve" / "curve.json").read_text())["recommended"]["knee"]
    assert knee == 4


def test_a_disk_that_cannot_be_measured_has_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(request: ProbeOptions | CurveOptions, *, as_json: bool) -> int:
        raise UnableError("no disk is here", "name another")

    monkeypatch.setattr(demo_disk, "run_probe", refuse)
    (page,) = demo_disk.disk_part(tmp_path, 200)
    reason = "The disk was not measured: no disk is here; name another."
    assert reason in capsys.readouterr().out
    assert (page.path, page.verdict) == (None, reason)
