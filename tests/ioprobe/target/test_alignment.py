"""Which requests O_DIRECT takes: told or tried, and a disk that answers neither."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ioprobe.target import alignment
from ioprobe.target.alignment import direct_alignment, told_alignment
from stallscope.errors import UnableError


@pytest.fixture
def cached(tmp_path: Path) -> Iterator[int]:
    """A file of two pages, opened through the page cache: it takes any size."""
    path = tmp_path / "some"
    path.write_bytes(bytes(8192))
    descriptor = os.open(path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a filesystem whose alignment statx does not tell."""
    monkeypatch.setattr(alignment, "told_alignment", lambda _: None)


def reader(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> None:
    """Another program that reads in place of ours."""
    path.write_text(text)
    monkeypatch.setattr(alignment, "_PROGRAM", path)


def test_what_the_kernel_tells_is_taken_without_a_read(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reader(monkeypatch, tmp_path / "never", "raise SystemExit('was run')")
    monkeypatch.setattr(alignment, "told_alignment", lambda _: 1024)
    assert direct_alignment(cached, "some") == 1024


def test_a_told_alignment_is_one_that_reads_are_taken_with(cached: int) -> None:
    told = told_alignment(cached)
    path = f"/proc/self/fd/{cached}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        assert told is None
        return
    try:
        assert told is None or told % alignment._tried_alignment(descriptor, "some") == 0
    finally:
        os.close(descriptor)


@pytest.mark.usefixtures("untold")
def test_the_smallest_read_that_is_taken_is_tried(cached: int) -> None:
    assert direct_alignment(cached, "some") == 512


@pytest.mark.usefixtures("untold")
@pytest.mark.parametrize("text", ["raise SystemExit(1)", ""])
def test_a_reader_that_tells_nothing_leaves_a_size_that_all_take(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    reader(monkeypatch, tmp_path / "dumb", text)
    assert direct_alignment(cached, "some") == 4096


@pytest.mark.usefixtures("untold")
def test_a_disk_that_does_not_answer_is_left_behind(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(alignment, "_PATIENCE_S", 0.3)
    reader(monkeypatch, tmp_path / "hung", "import signal\nsignal.pause()")
    with pytest.raises(UnableError, match=r"some: the disk did not answer a read of \d+ bytes in"):
        direct_alignment(cached, "some")
