"""The diagnosis of the demo's server."""

from pathlib import Path

import pytest

from harness.demo import diagnosis
from harness.diagnose.page.latency import RequestLatency
from harness.labs.stages.options import StagesOptions


def test_without_two_cpus_the_reason_is_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "usable_cpus", lambda _: frozenset({0}))
    server = diagnosis.diagnose_server(
        StagesOptions("kv", tmp_path), tmp_path / "x.html", RequestLatency()
    )
    assert server.content is None
    assert "need one CPU each" in server.missing
