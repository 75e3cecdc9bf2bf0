import math

import pytest

from harness.bench.compare.benchstat.summaries import delta_text, p_and_sizes


@pytest.mark.parametrize(
    ("base", "head", "text"),
    [(1, 1, "0.00%"), (0, 1, "?"), (2, 1, "-50.00%"), (1, math.inf, "+Inf%")],
)
def test_a_change_is_in_percent_of_the_base(base, head, text):
    assert delta_text(base, head) == text


def test_a_test_shows_p_and_sizes():
    assert p_and_sizes(0.0079, 5, 4) == "(p=0.008 n=5+4)"
    assert p_and_sizes(0, 3, 3) == "(n=3)"
