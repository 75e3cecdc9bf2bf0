"""The page of benchmark runs escapes what it shows."""

from harness.bench.run.panel import render_page
from tests.harness.bench.run.test_result import bench_result


def test_the_page_escapes_names() -> None:
    page = render_page(bench_result(), recording_name="r", facts={})
    assert "noisy &lt;i&gt;" in page
    assert "no counters here" in page


def test_the_page_shows_runs_in_their_order_and_their_distribution() -> None:
    page = render_page(bench_result(), recording_name="r", facts={})
    assert "Wall time of each run, in the order of the runs" in page
    assert "Distribution of the wall times" in page
