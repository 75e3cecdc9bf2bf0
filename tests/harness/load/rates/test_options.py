"""Options of a load at several rates."""

from pathlib import Path
from typing import Any

import pytest

from harness.load.options import LoadCommandOptions, rates_options
from harness.load.rates.options import rates_of
from harness.workload.options import LoadOptions
from stallscope.errors import UsageError


def test_rates_are_sorted() -> None:
    assert rates_of("4000, 1000,16000.5") == (1000, 4000, 16000.5)


@pytest.mark.parametrize("text", ["", "1000", "1000,1000", "0,5", "x,y", "1e3,5", "-1,2"])
def test_invalid_rates_are_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="--rates"):
        rates_of(text)


@pytest.mark.parametrize(
    ("values", "force", "name"),
    [({"rate_per_s": 5.0}, False, "--rate"), ({"think_us": 5}, False, "--think-us"),
     ({"check": True}, False, "--check"), ({}, True, "--force")],
)  # fmt: skip
def test_options_of_a_single_load_are_refused(
    values: dict[str, Any], force: bool, name: str
) -> None:
    load = LoadOptions("h:1", Path("out"), **values)
    with pytest.raises(UsageError, match=f"{name} does not apply"):
        rates_options(LoadCommandOptions(load, (), force), "1,2", 5)
