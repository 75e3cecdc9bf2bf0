"""`stallscope.archives`."""

import io
import tarfile
from pathlib import Path

import pytest

from stallscope.archives import ArchiveLimits, extract_archive
from stallscope.errors import RecordingError


def archive(*members: tuple[str, bytes | None], mode: str = "w", link: str = "") -> io.BytesIO:
    """Return an archive; a member without content has the type of a symbolic link."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in members:
            header = tarfile.TarInfo(name)
            if content is None:
                header.type, header.linkname = tarfile.SYMTYPE, link
            else:
                header.size = len(content)
            tar.addfile(header, io.BytesIO(content or b""))
    stream.seek(0)
    return stream


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_files_are_written_with_their_folders(tmp_path: Path, mode: str) -> None:
    stream = archive(("run/a", b"1"), ("run/b/c", b"22"), mode=mode)
    assert extract_archive(stream, tmp_path, "x") == 3
    assert (tmp_path / "run/b/c").read_bytes() == b"22"


@pytest.mark.parametrize("name", ["../a", "/a", "x/../../a", "a\n/../b", "/".join("abcdefghij")])
def test_names_that_leave_the_directory_are_refused(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(RecordingError, match="refused"):
        extract_archive(archive((name, b"1")), target, "x")
    assert list(tmp_path.rglob("*")) == [target]


def test_links_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="not a regular file"):
        extract_archive(archive(("a", None), link="/etc"), tmp_path, "x")


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="twice"):
        extract_archive(archive(("a", b"1"), ("a", b"2")), tmp_path, "x")


def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path) -> None:
    stream = archive(("a", bytes(1 << 20)), mode="w:gz")
    assert len(stream.getvalue()) < 5000
    with pytest.raises(RecordingError, match="more than"):
        extract_archive(stream, tmp_path, "x", ArchiveLimits(size_bytes=1000))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"x" * 600, b"\x1f\x8b\x08broken"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(RecordingError):
        extract_archive(io.BytesIO(content), tmp_path, "x")


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    content = archive(("a", bytes(4096))).getvalue()
    with pytest.raises(RecordingError):
        extract_archive(io.BytesIO(content[:2000]), tmp_path, "x")
