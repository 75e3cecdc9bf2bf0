"""Latency logs on the page of the stages lab."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.labs.stages.page_files import merged_log, page_data, write_results
from harness.labs.stages.plan import SATURATED, Side
from harness.labs.stages.result import StagesResult, stages_result
from stallscope.documents import read_document
from stallscope.histogram_encoding import encode
from stallscope.histograms import Geometry, Histogram
from tests.harness.labs.stages.measurements import measurement, write_empty_logs

ONE_VALUE = Histogram(Geometry(1, 3), np.array([0, 1], np.int64))


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


def test_intervals_of_later_runs_follow_in_time(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    write_empty_logs(lab)
    readings = tuple(
        replace(reading, started_at_s=1000.0 * (1 + reading.run.pair)) for reading in lab.readings
    )
    for reading in readings:
        (reading.folder / "intended.hlog").write_text(f"0.0,1.0,0.1,{encode(ONE_VALUE)}\n")
    log = merged_log(replace(lab, readings=readings), SATURATED, Side.STAGED)
    starts = [interval.start_s for interval in log.intervals]
    assert starts == [1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
