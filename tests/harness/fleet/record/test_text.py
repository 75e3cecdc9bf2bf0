"""The hosts of a fleet recording for a terminal."""

from harness.fleet.record.result import FleetRecordResult, HostRecording
from harness.fleet.record.text import lines


def row(name: str, status: str, reason: str = "") -> HostRecording:
    recording = None if status == "failed" else f"fleet/{name}"
    return HostRecording(
        name=name, destination=name, status=status, recording=recording, reason=reason, seconds=1.5
    )


def test_failed_hosts_are_listed_with_the_next_step() -> None:
    rows = (row("a", "recorded"), row("b", "kept"), row("c", "failed", "refused\x1b[31m"))
    text = list(lines(FleetRecordResult(directory="fleet", hosts=rows)))
    assert text[0] == "1 recorded, 1 kept, 1 failed"
    assert text[1].startswith("  c: failed, 1.5 s: refused")
    assert "\x1b" not in text[1]
    assert text[-1] == "see them: stallscope fleet top fleet"
