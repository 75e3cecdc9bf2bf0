"""Latency logs on the page of the stages lab."""

from pathlib import Path

from harness.labs.stages.page_files import merged_log, page_data, write_results
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.result import StagesResult, stages_result
from stallscope.documents import read_document
from tests.harness.labs.stages.measurements import measurement, write_empty_logs


def test_result_and_page_are_written_side_by_side(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    write_empty_logs(lab)
    result = stages_result(lab)
    assert write_results(lab, result) == tmp_path / "report.html"
    assert read_document(tmp_path / "stages.json", StagesResult) == result


def test_the_logs_of_a_side_are_merged(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    write_empty_logs(lab)
    assert merged_log(lab, SATURATED, Side.STAGED).intervals == ()
    assert [series.name for series in page_data(lab).latency] == ["unstaged", "staged"]
