"""`harness.fleet.dataset.schema`."""

from pathlib import Path

import pytest

from harness.fleet.dataset.parts import find_parts, read_table
from harness.fleet.dataset.schema import TABLES, arrow_schema
from tests.harness.fleet.samples import two_hosts

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_tables_have_a_version(fleet: Path) -> None:
    part = find_parts((fleet,), "samples")[0]
    assert list(read_table(part, "samples").columns) == list(TABLES["samples"])
    assert arrow_schema("stacks").metadata == {b"stallscope.fleet": b"1"}
