"""What a user requests from a pin."""

import pytest

from cstates.pinning.request import PinRequest, bench_profile
from stallscope.errors import UsageError
from tests.cstates.pinning.plans import Fake, planned


def test_options_take_precedence_over_the_profile() -> None:
    request = bench_profile(PinRequest(states=("C6",), frequency="max"))
    assert (request.states, request.frequency, request.no_turbo) == (("C6",), "max", True)


@pytest.mark.parametrize("number", ["9" * 5000, "\u0663", "-1", "1e6"])
def test_invalid_numbers_are_rejected(fake: Fake, number: str) -> None:
    with pytest.raises(UsageError, match="is not a frequency of policy0"):
        planned(fake, "ice-lake-server", frequency=number)
    with pytest.raises(UsageError, match="is not an energy bias"):
        planned(fake, "ice-lake-server", energy_bias=number)
