import json
import shutil
from pathlib import Path

import pytest

from harness.export.metrics.metric import MetricTable
from harness.export.metrics.sources.load import add_load
from stallscope.histograms import read_interval_log
from stallscope.recordings import open_recording
from tests.harness.export.metrics.parsed import values_of

LOAD = Path("tests/recordings/load")


def test_the_intervals_of_a_log_are_merged(tmp_path: Path) -> None:
    shutil.copytree(LOAD, tmp_path / "run")
    file = tmp_path / "run" / "intended.hlog"
    file.write_text(file.read_text() + file.read_text())
    table = MetricTable()
    add_load(table, open_recording(tmp_path / "run"))
    values = values_of(table)
    log = read_interval_log(file)
    merged = log.merged()
    assert merged is not None
    assert len(log.intervals) > 1
    assert values["stallscope_load_latency_seconds_count", ()] == merged.total
    mean = values["stallscope_load_latency_seconds_sum", ()] / merged.total
    assert mean == pytest.approx((merged.mean() or 0) / 1e9)
    below_1_ms = sum(count for _, high, count in merged.rows() if high <= 2**20 - 1)
    bound = (("le", repr((2**20 - 1) * 1e-9)),)
    assert values["stallscope_load_latency_seconds_bucket", bound] == below_1_ms


def test_a_log_without_a_unit_is_left_out(tmp_path: Path) -> None:
    shutil.copytree(LOAD, tmp_path / "run")
    manifest = tmp_path / "run" / "recording.json"
    content = json.loads(manifest.read_text())
    content["files"] = [{"name": "service.hlog", "format": "HdrHistogram V2 interval log, ns"}]
    manifest.write_text(json.dumps(content))
    table = MetricTable()
    add_load(table, open_recording(tmp_path / "run"))
    assert {family.name for family in table.histograms} == {"load_service_seconds"}
    assert table.notes[0] == "intended.hlog is left out: the recording does not state its unit"
