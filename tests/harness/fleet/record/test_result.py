"""`harness.fleet.record.result`."""

from harness.fleet.record.result import FleetRecordResult, HostRecording
from stallscope.documents import encode
from tests.documents import assert_valid


def test_failed_hosts_are_counted() -> None:
    rows = (HostRecording(host="a", status="failed"), HostRecording(host="b", status="kept"))
    result = FleetRecordResult(directory="d", hosts=rows)
    assert result.failed == 1
    assert_valid("fleet.record", encode(result))
