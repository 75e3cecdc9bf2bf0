"""Errors and the table of exit codes."""

import pytest

from stallscope import errors
from stallscope.errors import ExitCode, StallscopeError


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.UsageError, 2),
        (errors.UnableError, 3),
        (errors.TargetError, 4),
        (errors.RecordingError, 5),
        (errors.OutputError, 6),
    ],
)
def test_each_kind_of_failure_has_its_exit_code(kind: type[StallscopeError], code: int) -> None:
    error = kind("what failed", "what to do")
    assert error.exit_code == ExitCode(code)
    assert (str(error), error.message, error.remedy) == ("what failed", "what failed", "what to do")


def test_a_failure_without_a_kind_is_the_machines() -> None:
    assert StallscopeError("it failed").exit_code is ExitCode.UNABLE
    assert StallscopeError("it failed").remedy == ""
