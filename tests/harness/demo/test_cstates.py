"""The sleep part of the demo on machines with missing features."""

from pathlib import Path

import pytest

from harness.cstates.record import session as record_session
from harness.demo import cstates as demo_cstates
from stallscope.errors import UnableError


def test_without_two_cpus_the_reason_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_cstates, "usable_cpus", lambda _: frozenset({0}))
    part = demo_cstates.sleep_part(tmp_path / "idle", 200)
    reason = "Idle intervals were not recorded: server and loader need one CPU each"
    assert reason in "\n".join(part.lines)
    assert part.part.path is None
    assert reason in part.part.verdict
    assert not (tmp_path / "idle").exists()


@pytest.mark.live
def test_without_tracepoints_the_counters_are_printed_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(request, run):
        raise UnableError("there is no tracefs here", "mount it")

    monkeypatch.setattr(record_session, "record_idle", refuse)
    part = demo_cstates.sleep_part(tmp_path / "idle", 200, seconds=0.1)
    text = "\n".join(part.lines)
    if "need one CPU each" in text:
        pytest.skip("needs two CPUs: the server's and the loader's")
    assert "Source: counters only: there is no tracefs here" in text
    assert "Load: achieved" in text
    assert "Advice for this machine:\n" in text
    assert part.part.path == tmp_path / "idle" / "report.html"
    assert part.part.path.is_file()
    assert "suggestion" in part.part.verdict
