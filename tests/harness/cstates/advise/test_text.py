"""The text of `cstates advise`."""

import pytest

from cstates.advice.suggestions import advise
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines
from tests.cstates.advice.runs import row, run


def test_an_untimed_state_proves_no_gain_but_has_an_upper_bound() -> None:
    advice = advise(run(row(2, "ipi", 400, 210.0)))
    half = 1.96 * (1 / 400) ** 0.5
    assert [item.untimed for item in advice.suggestions] == [("POLL",), ("C1",)]
    for item in advice.suggestions:
        assert not item.proven
        assert item.min_us is None
        assert item.max_us == pytest.approx(210 + half)
    lines = " ".join(advise_lines(advise_result(advice), 10_000))
    assert "No gain is proven. To try:" in lines
    assert "at most 210.1 us per wake-up; leaving C1 was not timed" in lines
    assert "cstates latency" in lines
