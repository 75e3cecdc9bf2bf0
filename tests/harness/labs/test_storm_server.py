"""The storm lab with the reference server: each run has its limit, and nothing is left."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.labs.storm_document import storm_document
from harness.labs.storm_plan import StormOptions
from harness.labs.storm_server import measured_server
from stallscope.errors import UsageError


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is one: a disk may stall for seconds."""
    shared = Path("/dev/shm")
    with TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as folder:
        yield Path(folder)


def test_queries_beside_compaction(memory: Path) -> None:
    options = StormOptions(
        path=str(memory), rounds=1, duration_s=0.2, warmup_s=0.0, limits=(128,),
        size_bytes=2**20, server=True,
    )  # fmt: skip
    found = measured_server(options)
    assert found.complete
    order = [(one.run.setting.limit, one.run.setting.writes) for one in found.rounds]
    assert order == [(None, False), (None, True), (128, True), (8, True)]
    assert found.rounds[0].writer_bytes_per_s is None
    for one in found.rounds:  # on a machine under load a run of a moment may come to nothing
        assert one.reader is not None or "no GET was answered" in one.failed
        assert one.writer_bytes_per_s or not one.run.setting.writes or one.failed
    document = storm_document(found)
    assert document["first_come"] == []
    assert document["verdict"] == "no verdict"
    assert list(memory.iterdir()) == []


def test_it_takes_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (str(file), "sim:servers=8,service=1ms", str(tmp_path / "none")):
        with pytest.raises(UsageError, match="keeps its values in files"):
            measured_server(StormOptions(path=path, server=True))
