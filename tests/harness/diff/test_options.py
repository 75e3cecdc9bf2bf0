"""Options of `stallscope diff`."""

from pathlib import Path

import pytest

from harness.diff.options import Basis, DiffOptions, parse_share
from stallscope.errors import UsageError


def test_shares_are_percent_or_fractions() -> None:
    assert parse_share(None) is None
    assert parse_share("2%") == 0.02
    assert parse_share("0.5 %") == 0.005
    assert parse_share("0.02") == 0.02
    for text in ("", "x", "-1%", "200%", "nan"):
        with pytest.raises(UsageError, match="--fail-above"):
            parse_share(text)


def test_work_and_requests_belong_together() -> None:
    with pytest.raises(UsageError, match="--work needs --per request"):
        DiffOptions(Path("a"), Path("b"), work=(1, 2))
    with pytest.raises(UsageError, match="needs the number of requests"):
        DiffOptions(Path("a"), Path("b"), Basis.REQUEST)
