"""Texts of the stages table."""

from harness.labs.stages.quantities import P99, QUANTITIES, estimate_text, ratio_text
from harness.labs.stages.result import LoadTable
from stallscope.statistics.estimate import Estimate, missing


def test_a_common_unit_is_printed_once() -> None:
    assert estimate_text(Estimate(20.0, 10.0, 30.0, 5), P99.text) == "20 (10 to 30) µs"
    text = estimate_text(Estimate(900.0, 800.0, 1100.0, 5), P99.text)
    assert text == "900 µs (800 µs to 1.1 ms)"


def test_a_missing_value_is_not_zero() -> None:
    assert estimate_text(missing("not measured"), P99.text) == "n/a"
    assert ratio_text(missing("not measured")) == ""


def test_every_quantity_is_a_field_of_the_result() -> None:
    assert {quantity.field for quantity in QUANTITIES} <= set(LoadTable.__struct_fields__)
