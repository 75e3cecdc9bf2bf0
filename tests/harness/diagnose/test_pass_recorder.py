import sys
from pathlib import Path

from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.pass_recorder import record_pass
from harness.diagnose.path_probe import recorded_probe
from harness.diagnose.readings.file import read_readings
from stallscope.collector import CollectorOptions


def test_one_pass_has_samples_readings_and_reads_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "table").write_bytes(b"x" * 65536)
    command = (sys.executable, "-c", "import time; time.sleep(0.3)")
    collector = CollectorOptions(output=tmp_path / "run", command=command, waits=True)
    options = DiagnoseOptions(collector, None, None, as_json=False, path=tmp_path / "data")
    recording, end, cost = record_pass(options, None)
    assert end.exit_code == 0
    assert recording.samples.is_file()
    readings = read_readings(recording.path)
    assert readings is not None
    assert len(readings.rows) >= 2
    assert readings.header.path == str(tmp_path / "data")
    assert recorded_probe(recording.path) is not None
    assert cost.cpu_s > 0
    assert cost.with_command
