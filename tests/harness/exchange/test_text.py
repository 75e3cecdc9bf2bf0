"""The content of a file for a terminal."""

from harness.exchange.result import ImportedCount, ImportResult
from harness.exchange.text import lines


def test_a_count_that_is_missing_has_its_reason() -> None:
    rows = (
        ImportedCount(where="x:1", event="cycles", count=None, running_share=None, reason="gone"),
        ImportedCount(where="x:2", event="branches", count=5.0, running_share=0.5, reason=None),
    )
    result = ImportResult(file="x\x1b[31m", format="perf stat", counts=rows, commands=("next x",))
    text = "\n".join(lines(result, 80))
    assert "\x1b" not in text
    assert "cycles     gone" in text
    assert "50.0 %" in text
    assert text.endswith("more:\n  next x")
