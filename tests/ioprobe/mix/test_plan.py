"""The plan of a mix."""

from ioprobe.mix.plan import MixPlan


def test_cells_of_slow_disks_last_a_hundred_requests() -> None:
    assert MixPlan().step(4096, 1.0, 50.0, 1).duration_s == 2.0
    assert MixPlan().step(4096, 1.0, 1.0, 1).duration_s == 20.0
