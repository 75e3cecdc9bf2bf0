"""The text of benchmark runs names what is missing."""

from harness.bench.run.text import lines
from tests.harness.bench.run.test_result import bench_result


def test_the_text_names_what_is_missing() -> None:
    text = "\n".join(lines(bench_result(), 120))
    assert "10 ms to 30 ms" in text
    assert "counters and slots: unavailable: no counters here" in text
    assert "stable: no" in text
    assert "warning: noisy" in text
