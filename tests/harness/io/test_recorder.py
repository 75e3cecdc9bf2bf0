"""The recording of a disk measurement, from its start to its page."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from harness.io.probe.panel import panels
from harness.io.recorder import RecordedFile, Recorder
from stallscope.recordings import read_manifest
from tests.harness.io.probe.results import DISK, result


def test_a_recording_without_a_result_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Recorder("probe", DISK, folder) as recorder:
        assert not read_manifest(folder / "recording.json").complete
        recorder.__exit__(KeyboardInterrupt, None, None)
    assert not folder.exists()


def test_result_files_and_page_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = result(capsys)
    folder = tmp_path / "run"
    with Recorder("probe", DISK, folder) as recorder:
        files = {"a.hlog": RecordedFile("a log", "x"), "b.hlog": RecordedFile("a log")}
        kept = recorder.keep(measured, panels(measured), files)
        recorder.show(kept, ["the text"], as_json=False)
    assert kept.settings is None  # the disk is simulated
    manifest = read_manifest(folder / "recording.json")
    assert (manifest.complete, manifest.source.kind) == (True, "modelled")
    assert sorted(path.name for path in folder.iterdir()) == [
        "a.hlog", "probe.json", "recording.json", "report.html",
    ]  # fmt: skip
    text = capsys.readouterr().out
    assert text.startswith("the text\n")
    assert f"page       {folder / 'report.html'}" in text


def test_an_interrupted_measurement_ends_by_a_signal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    measured = structs.replace(result(capsys), complete=False)
    with Recorder("probe", DISK, folder) as recorder:
        recorder.show(recorder.keep(measured, ()), [], as_json=True)
    assert read_manifest(folder / "recording.json").end_reason == "signal"
    assert json.loads(capsys.readouterr().out)["recording"] == str(folder)
