"""Which depths are measured, and for how long."""

from dataclasses import replace

import numpy as np
import pytest

from ioprobe.curve.readings import DepthReading
from tests.ioprobe.curve.curves import curve
from tests.ioprobe.server_model import ServerModel


def test_depths_are_in_random_order_and_end_beyond_the_knee() -> None:
    model = ServerModel(8)
    result = curve(model)
    assert max(depth.depth for depth in result.depths) == 32
    in_order = [reading.depth for reading in result.readings[:18]]
    assert sorted(in_order) == sorted([1, 2, 4, 8, 16, 32] * 3)
    assert in_order[:6] != in_order[6:12]
    again = ServerModel(8)
    assert [reading.depth for reading in curve(again).readings] == [
        reading.depth for reading in result.readings
    ]


def test_readings_of_slow_disks_are_longer() -> None:
    model = ServerModel(4, 0.2)
    curve(model)
    longest = max(step.duration_s for step in model.steps if step.depth == 16)
    assert longest == pytest.approx(8 * 16 / 4 * 0.2)


def test_noise_is_not_refined_further() -> None:
    def noisy(reading: DepthReading) -> DepthReading:
        draw = np.random.default_rng(reading.number)
        iops = 9e4 * reading.depth / (reading.depth + 20) * draw.normal(1, 0.1)
        return replace(reading, iops=iops, series=tuple(iops * draw.normal(1, 0.2, 10)))

    result = curve(ServerModel(alter=noisy))
    assert len(result.depths) <= 24
