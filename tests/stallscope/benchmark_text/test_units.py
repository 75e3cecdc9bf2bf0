import math

import pytest

from stallscope.benchmark_text.units import (
    ScaleTable,
    base_unit,
    better_direction,
    go_fixed,
    has_binary_prefixes,
    is_exact,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.000"),
        (999.95, "1.000k"),
        (9.9995e-7, "1.000µ"),
        (99.995, "100.0"),
        (1e-13, "0.0001000n"),
        (0, "0.000"),
    ],
)
def test_a_scale_shows_at_least_three_digits(value, text):
    assert ScaleTable(binary=False).scale_of(value).text(value) == text


def test_bytes_have_binary_prefixes():
    assert ScaleTable(binary=True).scale_of(2048).text(2048) == "2.000Ki"
    assert has_binary_prefixes("B/op")
    assert has_binary_prefixes("x-bytes")
    assert not has_binary_prefixes("op/B")


def test_base_units_change_the_numerator_only():
    assert base_unit("p99-ns") == "p99-sec"
    assert base_unit("MB*MB/s") == "B*B/s"
    assert base_unit("op/ns") == "op/ns"


def test_metadata_decides_direction_and_exactness():
    metadata = {("sec/op", "better"): "higher", ("n", "assume"): "exact"}
    assert better_direction("ns/op", metadata) == 1
    assert better_direction("B/op", {}) == -1
    assert better_direction("n", metadata) == 0
    assert is_exact("n", metadata)


def test_numbers_that_are_not_finite_are_printed_as_go_does():
    assert [go_fixed(x, 2) for x in (math.nan, math.inf, -math.inf)] == ["NaN", "+Inf", "-Inf"]
