"""`harness.fleet.record.text`."""

from harness.fleet.record.result import FleetRecordResult
from harness.fleet.record.text import lines


def test_the_text_names_failed_hosts() -> None:
    from harness.fleet.record.result import HostRecording

    rows = (HostRecording(host="a", status="failed", error="refused\x1b"),)
    text = "\n".join(lines(FleetRecordResult(directory="d", hosts=rows), 80))
    assert "refused" in text
    assert "\x1b" not in text
    assert "0 of 1 hosts" in text
