"""Options of the stages lab from the command line."""

import pytest

from harness.labs.stages.options import open_loads
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
