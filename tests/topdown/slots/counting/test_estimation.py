"""Scaling by cycles, which group answers for what, and the arithmetic of intervals."""

import numpy as np
import pytest

from stallscope.statistics.intervals import student_t_95
from topdown.slots.counting.estimation import Estimator, SlotQuantity, difference
from topdown.slots.counting.windows import GroupWindows

RATIO = SlotQuantity("ratio", frozenset(("a", "c")), lambda known: known["a"] / known["c"])


def group(events: dict[str, list[float]], *, share: float = 1.0) -> GroupWindows:
    length = len(next(iter(events.values())))
    edges = np.arange(length + 1) / 10
    enabled = np.full(length, 1e8)
    counts = np.array(list(events.values()), dtype=float).T
    return GroupWindows(tuple(events), edges[:-1], edges[1:], enabled, enabled * share, counts)


def test_events_are_scaled_by_the_cycles_that_their_group_saw() -> None:
    busy = group({"c": [100, 100], "a": [50, 50]}, share=0.5)
    idle = group({"c": [10, 10], "b": [5, 5]}, share=0.5)
    result = Estimator((busy, idle), "c")
    totals = result.totals(result.groups_of(("a", "b")))
    assert totals["a"] == pytest.approx(totals["b"])  # half of all cycles each
    assert result.totals(result.groups_of(("c",)))["c"] == pytest.approx(220)
    assert result.multiplexed


def test_without_cycles_counts_are_scaled_by_time() -> None:
    result = Estimator((group({"a": [3, 5]}, share=0.25),), "c")
    assert result.totals(result.groups_of(("a",))) == {"a": 32}
    assert result.rate_per_s("a") == pytest.approx(8 / 0.05)
    assert result.rate_per_s("b") is None


def test_the_group_with_most_of_the_events_is_used() -> None:
    first = group({"c": [1, 1], "a": [1, 1]})
    second = group({"c": [1, 1], "a": [1, 1], "b": [1, 1]}, share=0.5)
    never = group({"d": [0, 0]}, share=0.0)
    result = Estimator((first, second, never), "c")
    assert result.groups_of(("a", "c")) == {"a": 0, "c": 0}  # the busier of two alike
    assert result.groups_of(("a", "b")) == {"a": 1, "b": 1}
    assert result.groups_of(("a", "d")) == {"a": 0}
    assert result.counted == {"a", "b", "c"}


def test_a_quantity_moves_with_the_windows_of_its_group() -> None:
    counts = [40, 60, 40, 60, 50, 50]
    result = Estimator((group({"c": [100] * 6, "a": counts}, share=0.5),), "c")
    moved = result.window_effects(RATIO)
    assert moved[0] == pytest.approx((np.array(counts) - 50) / 600, rel=1e-6)
    half = result.half_width(moved)
    assert half is not None
    steps = np.diff(moved[0])
    expected = (np.sum(steps**2) / 2 * 6 / 5 * 0.5) ** 0.5 * student_t_95(5)
    assert half == pytest.approx(expected)
    assert result.half_width(difference(moved, moved)) == pytest.approx(0, abs=1e-15)
    assert result.half_width(difference(moved, {})) == pytest.approx(half)


def test_a_phase_longer_than_the_windows_is_not_an_error() -> None:
    """Both halves of the program were counted evenly, however different they are."""
    slow = Estimator((group({"c": [100] * 20, "a": [20] * 10 + [80] * 10}, share=0.5),), "c")
    fast = Estimator((group({"c": [100] * 20, "a": [20, 80] * 10}, share=0.5),), "c")
    narrow, wide = (item.half_width(item.window_effects(RATIO)) for item in (slow, fast))
    assert narrow is not None
    assert wide is not None
    assert narrow < wide / 4


def test_three_windows_have_no_interval() -> None:
    result = Estimator((group({"c": [100] * 3, "a": [40, 60, 50]}, share=0.5),), "c")
    assert result.half_width(result.window_effects(RATIO)) is None


def test_missing_values_have_no_influence() -> None:
    result = Estimator((group({"c": [0.0] * 6, "a": [1.0] * 6}, share=0.5),), "c")
    assert result.half_width(result.window_effects(RATIO)) == 0.0


def test_a_count_by_time_has_the_error_that_cancels_in_ratios() -> None:
    """Two events that are one: their ratio is exact, and how many there were is not."""
    counts = [40.0, 60.0, 45.0, 55.0, 52.0]
    by_cycles = Estimator((group({"c": counts, "a": counts}, share=0.5),), "c")
    by_time = Estimator(by_cycles.groups, "")
    count = SlotQuantity("a", frozenset("a"), lambda known: known["a"])
    assert by_cycles.half_width(by_cycles.window_effects(RATIO)) == pytest.approx(0, abs=1e-12)
    half = by_time.half_width(by_time.window_effects(count))
    assert half is not None
    assert half > 10
