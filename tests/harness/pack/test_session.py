"""`harness.pack.session`."""

import gzip
import io
import shutil
import tarfile
from pathlib import Path

import pytest

from harness.cli.symbol_places import SymbolPlaces
from harness.pack.options import PackOptions
from harness.pack.session import pack, unpack
from harness.profile.analysis import analyze
from stallscope.documents import encode
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.recordings import open_recording
from tests.documents import assert_valid

TESTS = Path(__file__).parents[2]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    shutil.copy(TESTS / "recordings/samples/recording.json", tmp_path / "run")
    shutil.copy(TESTS / "captures/pipe.perf", tmp_path / "run/samples.perf")
    return tmp_path / "run"


def test_an_unpacked_recording_reads_the_same(recording: Path, tmp_path: Path) -> None:
    archive = tmp_path / "run.stallscope.tar.gz"
    result = pack(PackOptions(recording, archive))
    unpacked = unpack(archive, tmp_path / "copy")
    assert_valid("pack", encode(result))
    assert_valid("unpack", encode(unpacked))
    assert result.files == sum(path.is_file() for path in (tmp_path / "copy").rglob("*"))
    first = analyze(open_recording(recording)).profile
    second = analyze(open_recording(Path(unpacked.recording))).profile
    assert list(first.functions) == list(second.functions)
    assert first.weight_value.tolist() == second.weight_value.tolist()


def test_a_redacted_archive_has_no_host_argument_or_path(recording: Path, tmp_path: Path) -> None:
    manifest = open_recording(recording).manifest
    assert manifest is not None
    archive = tmp_path / "red.stallscope.tar.gz"
    pack(PackOptions(recording, archive, redact=True))
    unpacked = unpack(archive, tmp_path / "copy")
    content = gzip.decompress(Path(unpacked.recording).read_bytes())
    assert manifest.host_name.encode() not in content or not manifest.host_name
    assert b"/usr/" not in content
    assert b"/home/" not in content
    first = analyze(open_recording(recording)).profile
    second = analyze(open_recording(Path(unpacked.recording))).profile
    assert first.weight_value.sum() == second.weight_value.sum()
    with tarfile.open(archive) as tar:
        members = [(member.name, member.uname, member.mtime) for member in tar]
    assert members == [("recording/profile.pb.gz", "", 0)]


def test_a_recording_of_another_kind_is_not_redacted(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/recording.json").write_text(
        '{"schema": "stallscope.recording/1.0", "complete": true, "kind": "load"}'
    )
    with pytest.raises(UnableError, match="kind load cannot be redacted"):
        pack(PackOptions(tmp_path / "run", tmp_path / "x", redact=True))


def test_debug_files_are_for_redacted_archives(recording: Path, tmp_path: Path) -> None:
    places = SymbolPlaces(debug_directories=(tmp_path,))
    with pytest.raises(UsageError, match="are for --redact"):
        PackOptions(recording, tmp_path / "x", places=places)
    assert PackOptions(recording, tmp_path / "x", redact=True, places=places).places == places


def test_nothing_remains_of_a_refused_archive(tmp_path: Path) -> None:
    archive = tmp_path / "bad.stallscope.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        header = tarfile.TarInfo("recording/a")
        header.size = 1
        tar.addfile(header, io.BytesIO(b"x"))
        tar.addfile(tarfile.TarInfo("../outside"))
    with pytest.raises(RecordingError, match="refused"):
        unpack(archive, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


def test_an_archive_without_a_recording_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "x.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("other"))
    with pytest.raises(RecordingError, match="holds no recording"):
        unpack(archive, tmp_path / "copy")
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match="exists"):
        unpack(archive, tmp_path / "there")
