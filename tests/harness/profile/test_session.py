"""A run of `stallscope profile`, with a recording in place of the recorder."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.profile import session
from harness.profile.options import AnalysisOptions, ProfileOptions
from stallscope.collector import CollectionEnd, CollectorOptions
from stallscope.recordings import MANIFEST, SAMPLES, Recording, open_recording
from tests.harness.profile.test_analysis import MANIFEST_OF
from topdown.waits.weight import Weight


@pytest.fixture
def recorder(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> list[CollectorOptions]:
    """The options that the recorder got; it makes the recording of a capture."""
    used: list[CollectorOptions] = []

    def record(options: CollectorOptions, **_: Any) -> tuple[Recording, CollectionEnd]:
        used.append(options)
        shutil.copy(checkout / "tests/captures/pipe.perf", options.output / SAMPLES)
        (options.output / MANIFEST).write_text(json.dumps(MANIFEST_OF))
        return open_recording(options.output), CollectionEnd(0, "duration", interrupted=False)

    monkeypatch.setattr(session, "record_group", record)
    return used


def options(folder: Path, **analysis: Any) -> ProfileOptions:
    return ProfileOptions(
        collector=CollectorOptions(output=folder, pids=(12,)),
        analysis=AnalysisOptions(**analysis),
        slots=False, locate=False, top=5, as_json=False,
    )  # fmt: skip


def test_a_profile_prints_its_summary_and_writes_its_page(
    recorder: list[CollectorOptions], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert session.run_profile(options(tmp_path)) == 0
    assert not recorder[0].waits
    assert (tmp_path / "report.html").is_file()
    assert str(tmp_path / "report.html") in capsys.readouterr().out


def test_wall_time_needs_a_recording_of_waits(
    recorder: list[CollectorOptions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "analyze", stop)
    with pytest.raises(KeyboardInterrupt):
        session.run_profile(options(tmp_path, weight=Weight.WALL))
    assert recorder[0].waits
