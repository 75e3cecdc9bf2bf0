"""Recordings of hosts that answer, refuse, have another version, or send something else."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.fleet.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.session import record_fleet
from harness.fleet.top.options import FleetTopOptions, recordings_below
from harness.fleet.top.session import top_functions
from tests.harness.fleet.local_ssh import local_ssh

pytestmark = pytest.mark.live


@pytest.fixture
def busy() -> str:
    """Yield the id of a process that computes."""
    end = time.monotonic() + 20
    process = subprocess.Popen(
        [sys.executable, "-c", f"import time\nwhile time.monotonic() < {end}: pass"]
    )
    yield str(process.pid)
    process.kill()
    process.wait()


def test_failed_hosts_cost_their_own_recording_and_others_are_kept(
    tmp_path: Path, busy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    evil = tmp_path / "evil/run"
    evil.mkdir(parents=True)
    (evil / "recording.json").symlink_to("/etc/passwd")
    options = FleetRecordOptions(
        hosts=tuple(Host(name, name) for name in ("here", "refused", "old", "evil")),
        output=tmp_path / "fleet",
        arguments=("-p", busy, "--user", "--duration", "0.3"),
        ssh=local_ssh(tmp_path),
    )
    seen: list[str] = []
    result = record_fleet(options, lambda row: seen.append(row.name))
    status = {row.name: (row.status, row.reason) for row in result.hosts}
    assert status["here"] == ("recorded", "")
    assert "Connection refused" in status["refused"][1]
    assert "not 0." in status["old"][1] or "0.0.1" in status["old"][1]
    assert "not a regular file" in status["evil"][1]
    assert sorted(seen) == ["evil", "here", "old", "refused"]
    assert not list(tmp_path.glob("stallscope.*"))

    again = record_fleet(options, lambda _: None)
    assert [row.status for row in again.hosts] == ["kept", "failed", "failed", "failed"]

    top = top_functions(FleetTopOptions(recordings=recordings_below((tmp_path / "fleet",))))
    assert top.hosts == 1
    assert top.samples > 0
