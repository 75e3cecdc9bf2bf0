"""Command lines of the reference server and the loader."""

from pathlib import Path

from harness.workload.options import LoadOptions, ServerOptions


def test_an_open_loop_passes_its_rate() -> None:
    closed, opened = (LoadOptions("h:1", Path("d"), rate_per_s=rate) for rate in (None, 12.5))
    assert "--rate" not in closed.arguments()
    assert "--arrivals" not in closed.arguments()
    words = opened.arguments()
    assert words[words.index("--rate") + 1] == "12.5"
    assert words[words.index("--mode") + 1] == "open"


def test_server_options_without_a_value_are_left_out() -> None:
    words = ServerOptions(path="codec", stages=False, footprint_kb=208).arguments()
    assert words[words.index("--path") + 1] == "codec"
    assert words[words.index("--stages") + 1] == "off"
    assert words[words.index("--footprint-kb") + 1] == "208"
    assert "--unix" not in words
    assert "--cpus" not in words
