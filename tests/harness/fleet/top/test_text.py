"""`harness.fleet.top.text`."""

from pathlib import Path

import pytest

from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from harness.fleet.top.text import lines
from tests.harness.fleet.samples import two_hosts

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_functions_beyond_the_limit_are_counted(fleet: Path) -> None:
    result = fleet_top(QueryOptions((fleet,)), top=1)
    assert result.functions_total == 3
    assert "2 more functions" in "\n".join(lines(result, 80))
