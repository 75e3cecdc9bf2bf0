"""The cause of a latency that falls as the rate rises, and look-alikes that are not blamed."""

from harness.load.rates.explanation import LatencyCause, explain, falls
from tests.harness.load.rates.rates import HIGH, LOW, measurement, result


def test_bursts_of_replies_to_single_requests_are_batches() -> None:
    rates = measurement(result(10_000, replies=8, requests=1.2), result(1_000))
    explanation = explain(rates)
    assert explanation.cause is LatencyCause.BATCHES
    assert "8.0 replies arrived in a burst, although requests were sent 1.2 at a time" in (
        explanation.reason
    )
    assert (explanation.low_per_s, explanation.best_per_s) == (LOW, HIGH)


def test_bursts_of_requests_are_no_batches_of_the_target() -> None:
    rates = measurement(result(10_000, replies=8, requests=7), result(1_000))
    assert explain(rates).cause is LatencyCause.UNEXPLAINED


def test_wake_ups_that_take_most_of_the_fall_are_the_cause() -> None:
    rates = measurement(result(120), result(60), wake_us={LOW: 70.0, HIGH: 20.0})
    explanation = explain(rates)
    assert explanation.cause is LatencyCause.WAKE_UPS
    assert "takes 70 µs and 20 µs, which explains 83% of the fall" in explanation.reason


def test_short_wake_ups_do_not_explain_a_long_fall() -> None:
    rates = measurement(result(10_000), result(1_000), wake_us={LOW: 70.0, HIGH: 20.0})
    explanation = explain(rates)
    assert explanation.cause is LatencyCause.UNEXPLAINED
    assert "explains 1% of the fall" in explanation.reason
    unknown = measurement(result(120), result(60), wake_unavailable="no stallscope-wake")
    assert explain(unknown).cause is LatencyCause.UNEXPLAINED
    assert "no stallscope-wake" in explain(unknown).reason


def test_a_constant_latency_has_no_cause_even_with_bursts() -> None:
    rates = measurement(result(1_000, replies=8), result(950, replies=8))
    assert not falls(rates)
    assert explain(rates).cause is LatencyCause.NONE


def test_rounds_that_disagree_are_no_fall() -> None:
    falling, rising = (measurement(result(1_000), result(p50)).readings for p50 in (500.0, 1_500.0))
    rates = measurement(result(1_000), result(500))
    mixed = type(rates)(rates.options, (*falling[:8], *rising[8:]))
    assert not falls(mixed)


def test_too_few_rounds_have_no_verdict() -> None:
    explanation = explain(measurement(result(1_000), result(100), rounds=4))
    assert explanation.cause is LatencyCause.UNDECIDED
    assert "4 complete rounds are too few, at least 5" in explanation.reason
