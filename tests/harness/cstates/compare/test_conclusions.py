"""Which comparisons have a conclusion."""

import pytest

from cstates.comparison.candidates import BASELINE, CONTROL
from tests.harness.cstates.compare.results import SAME, result_of


def test_a_small_difference_counts_as_none() -> None:
    result = result_of({BASELINE: 2, CONTROL: 2, "fast": 1.99}, steadiness=10_000)
    text = " ".join(result.conclusions)
    assert (
        "0.5 % less wall time (p <0.001 after Holm): no difference, because less than 1 %" in text
    )
    assert "Nothing to gain shown by 10 rounds" in text


def test_without_a_steady_control_there_is_no_verdict() -> None:
    text = " ".join(result_of({BASELINE: 2, CONTROL: 1.7, "fast": 1}).conclusions)
    assert "No verdict on wall time: runs without changes differ by 14.7 % (p <0.001)" in text
    assert "fast:" not in text
    assert "Nothing to gain" not in text


@pytest.mark.parametrize("entries", [0, 9])
def test_a_busy_machine_does_not_prove_the_absence_of_a_gain(entries: int) -> None:
    """Other programs keep the CPUs awake and hide the cost of sleeping."""
    (text,) = result_of(SAME, others_s=0.35, entries=entries).conclusions
    assert "the machine was too busy. Others used 35.0 % of these CPUs' time" in text


def test_a_gain_counts_on_a_busy_machine() -> None:
    (text,) = result_of({BASELINE: 2, CONTROL: 2, "fast": 1}, others_s=0.35).conclusions
    assert text.startswith("fast: 48.9 % less wall time")
