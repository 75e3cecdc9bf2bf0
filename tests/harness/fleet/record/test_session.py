"""`harness.fleet.record.session`; hosts behind sshd are in `tests/harness/fleet/record/test_remote.py`."""

from pathlib import Path

from harness.fleet.record.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.session import record_fleet


def test_complete_recordings_are_kept_without_a_connection(tmp_path: Path) -> None:
    folder = tmp_path / "web-1"
    folder.mkdir()
    (folder / "recording.json").write_text(
        '{"schema": "stallscope.recording/1.0", "complete": true, "samples": 7}'
    )
    options = FleetRecordOptions(hosts=(Host("web-1"),), output=tmp_path, collector_options=())
    result, code = record_fleet(options)
    assert (code, result.hosts[0].status, result.hosts[0].samples) == (0, "kept", 7)
