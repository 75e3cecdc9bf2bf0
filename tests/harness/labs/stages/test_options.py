"""Options of the stages lab from the command line."""

import pytest

from harness.labs.stages.options import fixed_rates, open_loads
from stallscope.errors import UsageError


@pytest.mark.parametrize(
    ("text", "shares"), [("30,60,90", [0.3, 0.6, 0.9]), ("", []), ("90, 30,30", [0.3, 0.9])]
)
def test_loads_are_sorted_shares(text: str, shares: list[float]) -> None:
    assert [load.share for load in open_loads(text)] == shares


@pytest.mark.parametrize("text", ["0", "x", "30;60", "-5", "1000", ",", "²", "1," * 9 + "1"])
def test_invalid_loads_are_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="--loads"):
        open_loads(text)


def test_rates_are_sorted_loads_of_a_fixed_rate() -> None:
    loads = fixed_rates("50000, 20000,20000")
    assert [(load.rate_per_s, load.share) for load in loads] == [(20000, None), (50000, None)]
    assert [load.name for load in loads] == ["rate20000", "rate50000"]
    assert loads[0].text == "open loop at 20,000 requests/s"
    assert fixed_rates("") == ()


@pytest.mark.parametrize("text", ["0", "x", "1e5", "-5", ",", "99999999999"])
def test_invalid_rates_are_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="--rate"):
        fixed_rates(text)
