"""Memory growth of a soak."""

from benchmarks.soak import MAX_GROWTH, Soak


def soak_of(resident_bytes: tuple[int, ...]) -> Soak:
    return Soak(1_000.0, resident_bytes, 10, 10, 0)


def test_growth_while_settling_does_not_count() -> None:
    assert soak_of((*range(1, 20), *([100] * 80))).growth == 1


def test_steady_growth_counts() -> None:
    assert soak_of(tuple(range(100, 200))).growth > MAX_GROWTH


def test_a_single_reading_has_two_quarters() -> None:
    assert soak_of((5,)).growth == 1
