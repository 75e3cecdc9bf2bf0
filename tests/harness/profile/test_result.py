"""The document of a profile."""

from harness.profile.result import python_result
from tests.harness.profile.python_shares import NONE


def test_the_result_is_none_without_an_interpreter() -> None:
    assert python_result(None) is None
    assert python_result(NONE) is None
