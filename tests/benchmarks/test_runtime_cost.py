"""The cases of the cost of reading frames."""

import pytest

from benchmarks.recorder_cost import WindowCost
from benchmarks.runtime_cost import READING, SAMPLING, cases_of, of_one_cpu


def test_a_recorder_beside_two_busy_threads_is_measured_in_percent_of_one_cpu() -> None:
    # The recorder used 0.1 s of 2 s, the target 1.9 s.
    assert of_one_cpu(WindowCost(0.0, 100 * 0.1 / 1.9, 0.0)) == pytest.approx(10)


def test_the_bar_is_on_the_difference_to_sampling() -> None:
    results = {
        READING.name: [WindowCost(5.0, 3.0, 0.0)],
        SAMPLING.name: [WindowCost(4.0, 2.5, 0.0)],
    }
    observer, slowdown, beside = cases_of("Java", results, 1.0)
    assert observer.ours[0] > observer.peer[0] > 0
    assert observer.bar[0].at_most == 1.0
    assert slowdown.ours == (2.0,)
    assert slowdown.bar[0].at_most == beside.bar[0].at_most == 1.0
    assert (beside.ours, beside.peer) == ((2.0,), (1.5,))
