"""Rounds of a load at several rates."""

from dataclasses import replace

from tests.harness.load.rates.rates import HIGH, LOW, measurement, result


def test_incomplete_rounds_are_left_out() -> None:
    rates = measurement(result(100), result(50))
    cut = replace(rates, readings=rates.readings[:-1])
    assert (rates.complete_rounds, cut.complete_rounds) == (5, 4)
    assert len(cut.results(LOW)) == len(cut.results(HIGH)) == 4


def test_ratios_are_taken_round_by_round() -> None:
    ratio = measurement(result(100), result(50)).p50_ratio(HIGH, LOW)
    assert (ratio.median, ratio.low, ratio.high, ratio.n) == (0.5, 0.5, 0.5, 5)
