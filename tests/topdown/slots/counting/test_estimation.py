"""Scaling by cycles, which group answers for what, and the arithmetic of intervals."""

import numpy as np
import pytest

from stallscope.statistics.intervals import student_t_95
from topdown.slots.counting.estimation import Estimator, Quantity, difference
from topdown.slots.counting.windows import GroupWindows

RATIO = Quantity("ratio", frozenset(("a", "c")), lambda known: known["a"] / known["c"])


def group(events: dict[str, list[float]], *, share: float = 1.0) -> GroupWindows:
    length = len(next(iter(events.values())))
    edges = np.arange(length + 1) / 10
    enabled = np.full(length, 1e8)
    counts = np.array(list(events.values()), dtype=float).T
    return GroupWindows(tuple(events), edges[:-1], edges[1:], enabled, enabled * share, counts)


def test_events_are_scaled_by_the_cycles_that_their_group_saw() -> None:
    busy = group({"c": [100, 100], "a": [50, 50]}, share=0.5)
    idle = group({"c": [10, 10], "b": [5, 5]}, share=0.5)
    found = Estimator((busy, idle), "c")
    totals = found.totals(found.groups_of(("a", "b")))
    assert totals["a"] == pytest.approx(totals["b"])  # half of all cycles each
    assert found.totals(found.groups_of(("c",)))["c"] == pytest.approx(220)
    assert found.multiplexed


def test_without_cycles_time_is_what_scales() -> None:
    found = Estimator((group({"a": [3, 5]}, share=0.25),), "c")
    assert found.totals(found.groups_of(("a",))) == {"a": 32}
    assert found.rate_per_s("a") == pytest.approx(8 / 0.05)
    assert found.rate_per_s("b") is None


def test_the_group_that_has_most_of_what_is_asked_for_answers() -> None:
    first = group({"c": [1, 1], "a": [1, 1]})
    second = group({"c": [1, 1], "a": [1, 1], "b": [1, 1]}, share=0.5)
    never = group({"d": [0, 0]}, share=0.0)
    found = Estimator((first, second, never), "c")
    assert found.groups_of(("a", "c")) == {"a": 0, "c": 0}  # the busier of two alike
    assert found.groups_of(("a", "b")) == {"a": 1, "b": 1}
    assert found.groups_of(("a", "d")) == {"a": 0}
    assert found.counted == {"a", "b", "c"}


def test_a_quantity_moves_with_the_windows_of_its_group() -> None:
    counts = [40, 60, 40, 60, 50, 50]
    found = Estimator((group({"c": [100] * 6, "a": counts}, share=0.5),), "c")
    moved = found.influence(RATIO)
    assert moved[0] == pytest.approx((np.array(counts) - 50) / 600, rel=1e-6)
    half = found.half_width(moved)
    assert half is not None
    steps = np.diff(moved[0])
    expected = (np.sum(steps**2) / 2 * 6 / 5 * 0.5) ** 0.5 * student_t_95(5)
    assert half == pytest.approx(expected)
    assert found.half_width(difference(moved, moved)) == pytest.approx(0, abs=1e-15)
    assert found.half_width(difference(moved, {})) == pytest.approx(half)


def test_a_phase_that_outlasts_the_windows_is_no_error() -> None:
    """Both halves of the program were counted evenly, however different they are."""
    slow = Estimator((group({"c": [100] * 20, "a": [20] * 10 + [80] * 10}, share=0.5),), "c")
    fast = Estimator((group({"c": [100] * 20, "a": [20, 80] * 10}, share=0.5),), "c")
    narrow, wide = (each.half_width(each.influence(RATIO)) for each in (slow, fast))
    assert narrow is not None
    assert wide is not None
    assert narrow < wide / 4


def test_three_windows_have_no_interval() -> None:
    found = Estimator((group({"c": [100] * 3, "a": [40, 60, 50]}, share=0.5),), "c")
    assert found.half_width(found.influence(RATIO)) is None


def test_what_has_no_value_moves_nothing() -> None:
    found = Estimator((group({"c": [0.0] * 6, "a": [1.0] * 6}, share=0.5),), "c")
    assert found.half_width(found.influence(RATIO)) == 0.0


def test_a_count_by_time_has_the_error_that_cancels_in_ratios() -> None:
    """Two events that are one: their ratio is exact, and how many there were is not."""
    counts = [40.0, 60.0, 45.0, 55.0, 52.0]
    by_cycles = Estimator((group({"c": counts, "a": counts}, share=0.5),), "c")
    by_time = Estimator(by_cycles.groups, "")
    count = Quantity("a", frozenset("a"), lambda known: known["a"])
    assert by_cycles.half_width(by_cycles.influence(RATIO)) == pytest.approx(0, abs=1e-12)
    half = by_time.half_width(by_time.influence(count))
    assert half is not None
    assert half > 10
