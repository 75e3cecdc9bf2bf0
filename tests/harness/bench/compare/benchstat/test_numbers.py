import math

import pytest

from harness.bench.compare.benchstat.numbers import go_shortest, signed_percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-7, "1e-07"),
        (1.0062499999999998e-07, "1.0062499999999998e-07"),
        (500.5, "500.5"),
        (123456.0, "123456"),
        (1234567.8, "1.2345678e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-0.0, "-0"),
        (5e-324, "5e-324"),
        (math.inf, "+Inf"),
        (math.nan, "NaN"),
        (1e300, "1e+300"),
    ],
)
def test_numbers_have_gos_shortest_form(value, text):
    assert go_shortest(value) == text


def test_changes_have_a_sign():
    assert signed_percent(1.1) == "+10.00%"
    assert signed_percent(math.inf) == "+Inf%"
