"""Merged readings of a depth: percentiles of the merged histogram, not averages."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from ioprobe.curve.readings import (
    DepthReading,
    by_depth,
    merged_latencies,
    percentile,
    slowest_share,
)
from ioprobe.engine.points import Latency

LATENCY = Latency(11.0, 20.0, 97.0, 19.0, 19.0, 99.0, 99.0, 99.0)
READING = DepthReading(4, 0, 1.0, 100.0, LATENCY, ((10, 19, 90), (90, 99, 10)), (), 0.0, 0.0)


def test_a_percentile_is_the_upper_bound_of_its_bucket() -> None:
    assert [percentile(READING.buckets, percent) for percent in (0.1, 50, 90, 90.1, 100)] == [
        19, 19, 19, 99, 99,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no percentile"):
        percentile((), 50)


def test_merged_latencies_cover_the_requests_of_all_readings() -> None:
    other = replace(
        READING, latency=structs.replace(LATENCY, mean=95.0, max=98.0), buckets=((90, 99, 300),)
    )
    merged = merged_latencies([READING, other])
    assert merged is not None
    assert (merged.min, merged.p50, merged.max) == (11.0, 98.0, 98.0)
    assert merged.mean == pytest.approx((100 * 20 + 300 * 95) / 400)
    assert merged_latencies([]) is None
    assert merged_latencies([replace(READING, buckets=())]) is None


def test_masked_readings_do_not_count() -> None:
    (depth,) = by_depth(
        [READING, replace(READING, iops=1e9, failed=("why",)), replace(READING, iops=102.0)]
    )
    assert (len(depth.accepted), len(depth.masked)) == (2, 1)
    assert depth.iops == 101.0


def test_the_slowest_share_of_exponential_times_has_a_closed_form() -> None:
    # Exact quantiles of the distribution: the share is 0.01 * (1 - ln 0.01) = 5.6 %.
    times = -np.log1p(-(np.arange(100_000) + 0.5) / 100_000) * 1e6
    buckets = tuple((int(time), int(time), 1) for time in times)
    assert slowest_share(buckets, 0.01) == pytest.approx(0.01 * (1 - math.log(0.01)), rel=0.02)
    assert slowest_share(((100, 100, 7),), 0.01) == pytest.approx(0.01)
