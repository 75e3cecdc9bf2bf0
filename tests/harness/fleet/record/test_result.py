"""`harness.fleet.record.result`."""

from harness.fleet.record.result import FleetRecordResult, HostRecording


def test_failed_hosts_are_counted() -> None:
    rows = (HostRecording(host="a", status="failed"), HostRecording(host="b", status="kept"))
    assert FleetRecordResult(directory="d", hosts=rows).failed == 1
