"""Options of `stallscope diff`."""

from pathlib import Path

import pytest

from harness.diff.options import Basis, DiffOptions
from stallscope.errors import UsageError


def test_work_and_requests_belong_together() -> None:
    with pytest.raises(UsageError, match="--work needs --per request"):
        DiffOptions(Path("a"), Path("b"), work=(1, 2))
    with pytest.raises(UsageError, match="needs the number of requests"):
        DiffOptions(Path("a"), Path("b"), Basis.REQUEST)
