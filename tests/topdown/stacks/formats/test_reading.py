"""Every format gives the same stacks."""

import tarfile
from pathlib import Path

import pytest

from harness.exchange.writers import _WRITERS, OutputFormat
from stallscope.errors import RecordingError, UsageError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.formats.detection import FileFormat
from topdown.stacks.formats.reading import detect_file, read_profile

READABLE = ("folded", "pprof", "otlp", "speedscope", "firefox")


@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_is_detected_and_read(tmp_path: Path, name: str) -> None:
    profile = ProfileBuilder().build([(["main", "work"], 3), (["main", "other"], 2)])
    file = tmp_path / "x"
    file.write_bytes(_WRITERS[OutputFormat(name)](profile, 0))
    assert detect_file(file) == FileFormat(name)
    again = read_profile(file, FileFormat(name))
    shares = {
        again.functions[again.node_function[node]].name: value
        for node, value in zip(again.weight_node.tolist(), again.weight_value.tolist(), strict=True)
    }
    assert shares["work"] / shares["other"] == 1.5


def test_a_file_without_stacks_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("BenchmarkX 1 2 ns/op\n")
    with pytest.raises(RecordingError, match="has no stacks"):
        read_profile(file, FileFormat.BENCHMARK)


def test_an_archive_is_an_error_that_names_unpack(tmp_path: Path) -> None:
    archive = tmp_path / "slow query.stallscope.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(Path(__file__), "recording.json")
    with pytest.raises(UsageError, match="is an archive") as error:
        detect_file(archive)
    assert error.value.remedy == f"unpack it first: stallscope unpack '{archive}'"
