"""Options of `stallscope report` that contradict each other."""

from pathlib import Path

import pytest

from harness.report.options import ReportOptions
from stallscope.errors import UsageError


def test_a_page_needs_no_place_if_it_is_not_written() -> None:
    with pytest.raises(UsageError, match="--no-page and -o exclude each other"):
        ReportOptions(output=Path("page.html"), with_page=False)
    assert ReportOptions(with_page=False).output is None
