"""The demo's part about sleep where something is missing: it says so, and goes on."""

from pathlib import Path

import pytest

from harness.cstates.record import session as record_session
from harness.demo import cstates as demonstration
from stallscope.errors import UnableError


def test_without_two_cpus_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "usable_cpus", lambda _: frozenset({0}))
    said = "\n".join(demonstration.sleep_part(tmp_path / "idle", 200))
    assert "Idle intervals were not recorded: server and loader need one CPU each" in said
    assert not (tmp_path / "idle").exists()


@pytest.mark.live
def test_without_tracepoints_the_counters_are_told_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(request, run):
        raise UnableError("there is no tracefs here", "mount it")

    monkeypatch.setattr(record_session, "record_idle", refused)
    said = "\n".join(demonstration.sleep_part(tmp_path / "idle", 200, seconds=0.1))
    if "need one CPU each" in said:
        pytest.skip("needs two CPUs: the server's and the loader's")
    assert "Source: counters only: there is no tracefs here" in said
    assert "Load: achieved" in said
    assert "Advice for this machine:\n" in said
    assert (tmp_path / "idle" / "report.html").is_file()
