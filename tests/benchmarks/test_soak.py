"""What a soak concludes of the memory it read."""

from benchmarks.soak import MOST_GROWTH, Soak


def found(resident: tuple[int, ...]) -> Soak:
    return Soak(1_000.0, resident, 10, 10, 0)


def test_settling_is_no_growth_and_growth_is() -> None:
    assert found((*range(1, 20), *([100] * 80))).growth == 1
    assert found(tuple(range(100, 200))).growth > MOST_GROWTH


def test_a_short_soak_has_ends_too() -> None:
    assert found((5,)).growth == 1
