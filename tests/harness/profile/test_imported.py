"""Files of other tools where a recording is expected."""

import json
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.profile.analysis import analyze
from harness.profile.imported import analyze_imported
from harness.profile.options import AnalysisOptions
from harness.profile.period import Period
from stallscope.errors import UsageError
from stallscope.recordings import open_recording
from tests.documents import assert_valid
from topdown.waits.weight import Weight


def test_a_file_of_another_tool_is_analyzed(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_text("srv;main;work 3\n")
    analysis = analyze(open_recording(file))
    assert analysis.profile.samples == 3


def test_options_that_need_a_recording_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_text("srv;main;work 3\n")
    recording = open_recording(file)
    with pytest.raises(UsageError, match="has no context switches"):
        analyze_imported(recording, AnalysisOptions(weight=Weight.WALL))
    with pytest.raises(UsageError, match="have no times"):
        analyze_imported(recording, AnalysisOptions(period=Period(0, 1)))


def test_a_period_of_a_file_with_times_has_its_samples(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_text("".join(f"a 1/1 {s}.0: 9 cycles:\n\t1 f{s} (/x)\n\n" for s in range(9)))
    recording = open_recording(file)
    analysis = analyze_imported(recording, AnalysisOptions(period=Period(2, 4)))
    assert analysis is not None
    assert [function.name for function in analysis.profile.functions] == ["all", "f2", "f3"]
    assert analysis.profile.samples == 2
    with pytest.raises(UsageError, match="no sample from 20 to 30 s"):
        analyze_imported(recording, AnalysisOptions(period=Period(20, 30)))


def test_losses_of_a_file_of_another_tool_are_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.folded"
    file.write_text("srv;main;work 3\n")
    page = tmp_path / "page.html"
    assert main(["report", str(file), "-o", str(page)]) == 0
    assert "n/a: the file does not say how many samples were lost" in capsys.readouterr().out
    assert "Lost samples</dt><dd" in page.read_text().replace("\n", "").replace("  ", "")
    assert main(["report", str(file), "--no-page", "--json"]) == 0
    text = capsys.readouterr().out
    assert_valid("profile", text)
    assert json.loads(text)["lost"] is None


def test_a_capture_is_not_imported(tmp_path: Path) -> None:
    file = tmp_path / "perf.data"
    file.write_bytes(b"PERFILE2")
    assert analyze_imported(open_recording(file), AnalysisOptions()) is None
