"""Readings of a depth together: merged exactly, never averaged percentiles."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from ioprobe.curve.readings import Reading, by_depth, merged_latencies, percentile, slowest_share
from ioprobe.engine.points import Latency

LATENCY = Latency(11.0, 20.0, 97.0, 19.0, 19.0, 99.0, 99.0, 99.0)
ONE = Reading(4, 0, 1.0, 100.0, LATENCY, ((10, 19, 90), (90, 99, 10)), (), 0.0, 0.0)


def test_percentiles_are_upper_ends_of_buckets() -> None:
    assert [percentile(ONE.buckets, percent) for percent in (0.1, 50, 90, 90.1, 100)] == [
        19, 19, 19, 99, 99,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no percentile"):
        percentile((), 50)


def test_latencies_of_two_readings_are_of_all_their_requests() -> None:
    other = replace(
        ONE, latency=structs.replace(LATENCY, mean=95.0, max=98.0), buckets=((90, 99, 300),)
    )
    found = merged_latencies([ONE, other])
    assert found is not None
    assert (found.min, found.p50, found.max) == (11.0, 98.0, 98.0)
    assert found.mean == pytest.approx((100 * 20 + 300 * 95) / 400)
    assert merged_latencies([]) is None
    assert merged_latencies([replace(ONE, buckets=())]) is None


def test_masked_readings_stand_apart() -> None:
    (found,) = by_depth([ONE, replace(ONE, iops=1e9, failed=("why",)), replace(ONE, iops=102.0)])
    assert (len(found.accepted), len(found.masked)) == (2, 1)
    assert found.iops == 101.0


def test_the_slowest_hundredth_of_exponential_times() -> None:
    # Quantiles of the distribution itself: the share is 0.01 * (1 - ln 0.01) = 5.6 %.
    times = -np.log1p(-(np.arange(100_000) + 0.5) / 100_000) * 1e6
    buckets = tuple((int(time), int(time), 1) for time in times)
    assert slowest_share(buckets, 0.01) == pytest.approx(0.01 * (1 - math.log(0.01)), rel=0.02)
    assert slowest_share(((100, 100, 7),), 0.01) == pytest.approx(0.01)
