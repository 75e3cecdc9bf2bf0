"""The panel of a probe."""

import pytest
from msgspec import structs

from harness.io.probe.histogram_rows import LatencyScale
from harness.io.probe.panel import panels
from harness.io.probe.text import check_text, lines
from tests.harness.io.probe.results import result


def test_a_failed_self_check_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    check = {
        "littles_law_error": None,
        "cpu_delay_share": 0.31,
        "ok": False,
        "failed": ["31 % of the time our own CPU was not ours"],
    }
    failed = result(capsys, self_check=check, errors={"EIO": 3}, complete=False)
    text = "\n".join(lines(failed, 100, LatencyScale.LINEAR))
    assert "SELF CHECK FAILED: do not rely on these numbers: 31 % of the time" in text
    assert "3 requests failed with EIO" in text
    assert "interrupted" in text
    (panel,) = panels(failed)
    assert "SELF CHECK FAILED" in panel.markup
    assert "EIO" in panel.markup
    assert "over time" not in panel.markup  # the series has two steps
    reads = failed.reads["direct"]
    passed = structs.replace(reads, self_check=structs.replace(reads.self_check, ok=True))
    assert "neither" not in check_text(passed)


def test_hostile_texts_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    hostile_text = "<b>\x1b[31m\u202ex"
    hostile = result(
        capsys,
        path=hostile_text,
        warnings=[hostile_text],
        facts={hostile_text: hostile_text},
        kind=hostile_text,
    )
    assert "\x1b" not in "\n".join(lines(hostile, 100, LatencyScale.LINEAR))
    (panel,) = panels(hostile)
    assert "<b>" not in panel.markup
    assert "\x1b" not in panel.markup
