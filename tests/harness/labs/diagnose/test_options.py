"""Validation of the options of `stallscope lab diagnose`."""

import pytest

from harness.labs.diagnose.options import DiagnoseLabOptions
from stallscope.errors import UsageError


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ({"duration_s": 0.2}, "--seconds"),
        ({"duration_s": 1e6}, "--seconds"),
        ({"runs": 0}, "--runs"),
    ],
)
def test_numbers_out_of_range_are_refused(values: dict[str, float], option: str) -> None:
    with pytest.raises(UsageError, match=option):
        DiagnoseLabOptions(**values)  # type: ignore[arg-type]
