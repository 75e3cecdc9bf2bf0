"""The text of a comparison."""

import pytest

from cstates.comparison.candidates import BASELINE, CONTROL
from harness.cstates.compare.text import lines
from tests.harness.cstates.compare.results import SAME, result_of


def test_a_gain_is_printed_with_a_p_above_zero() -> None:
    text = "\n".join(lines(result_of({BASELINE: 2, CONTROL: 2, "fast": 1}), 120))
    assert (
        "fast: 48.9 % less wall time (p <0.001 after Holm; runs without changes differ by" in text
    )
    assert "by 0.0 %)." in text
    assert "<0.001*" in text
    assert "Nothing to gain" not in text
    assert "fast: accepted but without effect in 2 of 10 runs" in text
    assert "x was left out: why" in text
    assert "Note: a note" in text


def test_the_share_of_others_is_printed() -> None:
    text = " ".join(lines(result_of(SAME, others_s=0.04), 200))
    assert "Others (programs and the host) used 4.0 % of these CPUs' time" in text
    assert "Nothing to gain shown by 10 rounds" in text
    assert "used an unknown share of these CPUs' time" in " ".join(lines(result_of(SAME), 200))
    assert result_of(SAME, others_s=0.04).others_share == pytest.approx(0.04)
    assert result_of(SAME).others_share is None
