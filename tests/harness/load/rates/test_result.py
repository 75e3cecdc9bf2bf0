"""The document of a load at several rates."""

import json

from harness.load.rates.result import RatesResult, rates_result
from stallscope.documents import decode, encode
from tests.documents import assert_valid
from tests.harness.load.rates.rates import HIGH, LOW, measurement, result


def test_the_document_is_valid_and_has_the_cause() -> None:
    rates = measurement(result(120), result(60), wake_us={LOW: 70.0, HIGH: 20.0})
    text = encode(rates_result(rates))
    assert_valid("load.rates", text)
    document = json.loads(text)
    assert document["schema"] == "stallscope.load.rates/1"
    assert document["cause"] == "wake-ups"
    assert document["compared_rates_per_s"] == [LOW, HIGH]
    low = document["rows"][0]
    assert (low["p50"]["median"], low["p95"]["median"], low["wake_us"]) == (120, 240, 70)
    assert decode(text, RatesResult, "rates.json") == rates_result(rates)
