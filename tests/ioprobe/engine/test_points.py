"""Values that follow from the result of a point."""

from typing import Any

import pytest

from ioprobe.engine.points import LatencyParts, Point, PointResult, SelfCheck

FIELDS: dict[str, Any] = {
    "point": Point("a"), "source": "modelled", "engine": "simulated", "real_time": False,
    "requests": 3, "reads": 2, "writes": 1, "errors": {}, "bytes_read": 3000,
    "bytes_written": 1000, "seconds": 2.0, "iops": 1.5, "latency_ns": None,
    "read_latency_ns": None, "write_latency_ns": None, "histogram": (), "parts_ns": LatencyParts(),
    "cpu_s": None, "self_check": SelfCheck(None, None, True, ()), "requested_rate_per_s": None,
    "series": (), "punts": None, "notes": (), "interrupted": False,
}  # fmt: skip


@pytest.mark.parametrize(("seconds", "expected"), [(2.0, 2000.0), (0.0, None)])
def test_the_bandwidth_is_that_of_both_directions(seconds: float, expected: float | None) -> None:
    assert PointResult(**FIELDS | {"seconds": seconds}).bytes_per_s == expected


def test_a_point_is_as_good_as_its_self_check() -> None:
    failed = SelfCheck(0.2, None, False, ("20 % off Little's law",))
    assert PointResult(**FIELDS).ok
    assert not PointResult(**FIELDS | {"self_check": failed}).ok
