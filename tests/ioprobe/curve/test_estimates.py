"""Estimates from curves of simulated disks."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ioprobe.curve.estimates import estimate_curve
from ioprobe.curve.readings import DepthReading, by_depth
from tests.ioprobe.curve.curves import curve
from tests.ioprobe.server_model import ServerModel


def test_power_peaks_when_all_servers_are_busy() -> None:
    result = curve(ServerModel(8)).estimates
    assert result is not None
    assert result.latency_optimal.value == 8


def test_the_slo_depth_is_the_deepest_that_keeps_the_p99() -> None:
    # With 8 servers of 1 ms, N >= 8 requests take N / 8 ms, in buckets of 1 %.
    result = curve(ServerModel(8), slo_p99_ns=3.05e6).estimates
    assert result is not None
    assert result.slo in (22, 23, 24)  # to a tenth of the depth
    strict = curve(ServerModel(8), slo_p99_ns=0.5e6).estimates
    assert strict is not None
    assert (strict.slo, strict.slo_missing) == (None, "depth 1 exceeds it")
    assert curve(ServerModel(8)).estimates.slo is None  # type: ignore[union-attr]


@pytest.mark.parametrize("depth", [1, 4, 32])
def test_a_depth_without_throughput_is_left_out(depth: int) -> None:
    readings = curve(ServerModel(8)).readings
    zeros = [
        replace(reading, iops=0.0, series=(0.0,) * len(reading.series)) for reading in readings
    ]
    readings_without = [
        zero if reading.depth == depth else reading
        for reading, zero in zip(readings, zeros, strict=True)
    ]
    with np.errstate(all="raise"):
        result = estimate_curve(by_depth(readings_without), None)
    assert result is not None
    assert result.max_iops.value == pytest.approx(8000)
    assert result.knee.value == 8
    assert (result.saturation_depth is None) == (depth == 1)


def test_steps_without_a_request_leave_the_saturation_depth_finite() -> None:
    def spoil(reading: DepthReading) -> DepthReading:
        rare = (0.0,) * (len(reading.series) - 1) + (sum(reading.series),)
        return replace(reading, series=rare) if reading.depth == 1 else reading

    with np.errstate(all="raise"):
        result = curve(ServerModel(8, alter=spoil)).estimates
    assert result is not None
    assert result.saturation_depth is not None
    assert result.saturation_depth.value == pytest.approx(8, rel=0.05)
    assert math.isfinite(result.saturation_depth.high)


def test_one_fast_depth_moves_neither_plateau_nor_knee() -> None:
    def lucky(reading: DepthReading) -> DepthReading:
        return replace(reading, iops=1.3 * reading.iops) if reading.depth == 16 else reading

    result = curve(ServerModel(8, alter=lucky))
    assert result.estimates is not None
    assert result.estimates.knee.value == 8
    assert result.estimates.max_iops.value == pytest.approx(8000, rel=0.1)
