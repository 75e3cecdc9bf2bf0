"""The order of the scale lab's runs."""

from harness.labs.scale.measurement import run_order
from tests.harness.labs.scale.measurements import OPTIONS


def test_every_round_has_every_point_and_every_second_round_is_reversed() -> None:
    order = list(run_order(OPTIONS))
    assert len(order) == 15
    assert [point for _, point in order[:5]] == list(OPTIONS.points)
    assert [point for _, point in order[5:10]] == list(OPTIONS.points)[::-1]
