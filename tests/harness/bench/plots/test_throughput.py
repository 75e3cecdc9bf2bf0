"""The picture of requests per second: a line per server, the same bytes every time."""

from harness.bench.plots.throughput import ThroughputLines, throughput_picture


def test_the_picture_is_deterministic_and_names_the_lines() -> None:
    data = ThroughputLines({"kv-zwrk": [(1, 10.0), (2, 19.0)], "redis-zwrk": [(1, 9.0)]})
    picture = throughput_picture(data, "svg")
    assert picture == throughput_picture(data, "svg")
    assert b"kv-zwrk" in picture
    assert b"redis-zwrk" in picture
