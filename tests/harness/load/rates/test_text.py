"""Latency by rate on the terminal."""

import re

from harness.load.rates.result import rates_result
from harness.load.rates.text import lines
from tests.harness.load.rates.rates import HIGH, LOW, measurement, result


def test_the_table_has_bursts_and_wake_ups() -> None:
    rates = measurement(result(120), result(60), wake_us={LOW: 70.0, HIGH: 20.0})
    text = "\n".join(lines(rates_result(rates), 120))
    assert "medians of 5 rounds" in text
    assert re.search(r"1,000 +3,012 +120 µs +120 µs +240 µs +360 µs +1\.10 +1\.10 +70 µs", text)
    assert "wake-ups: p50 is 120 µs at 1,000 requests/s and 60 µs at 16,000" in text
