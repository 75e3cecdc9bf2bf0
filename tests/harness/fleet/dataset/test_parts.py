"""`harness.fleet.dataset.parts`."""

from pathlib import Path

import pytest

from harness.fleet.dataset.parts import find_parts, read_table
from stallscope.errors import RecordingError
from tests.harness.fleet.samples import two_hosts

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return two_hosts(tmp_path)


def test_a_part_is_read_as_it_was_written(fleet: Path) -> None:
    part = find_parts((fleet,), "samples")[1]
    assert (part.host, part.hour) == ("b", "1970-01-01T00")
    assert read_table(part, "samples")["value"].tolist() == [20]


def test_a_part_that_is_being_written_is_not_read(fleet: Path) -> None:
    part = find_parts((fleet,), "samples")[0]
    part.path("samples").with_name(".x.parquet").write_bytes(b"")
    assert len(find_parts((fleet,), "samples")) == 2


def test_a_table_of_another_version_is_refused(fleet: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = find_parts((fleet,), "samples")[0]
    pq.write_table(pa.table({"x": [1]}), part.path("samples"))
    with pytest.raises(RecordingError, match="not of version 1"):
        read_table(part, "samples")
