"""The period of `report --period`."""

import pytest

from harness.profile.period import Period, parse_period
from stallscope.errors import UsageError


def test_a_period_has_two_times_in_seconds() -> None:
    assert parse_period("12.5-17") == Period(12.5, 17.0)


@pytest.mark.parametrize(
    "text", ["", "5", "5-", "-5", "7-3", "a-b", "1-nan", "0-inf", "3-3", "1-2-3"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a period"):
        parse_period(text)
