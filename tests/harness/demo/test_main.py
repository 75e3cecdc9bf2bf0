"""The options of the demo."""

from pathlib import Path

from harness.demo.__main__ import demo_options, expected_total_s


def test_the_demo_shows_synthetic_code_within_three_minutes(tmp_path: Path) -> None:
    options = demo_options(tmp_path)
    assert options.path == "codec"
    assert options.replay, "the page has the simulated instruction cache"
    assert expected_total_s(options) < 180
