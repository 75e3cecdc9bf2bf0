"""The alignment of O_DIRECT: reported by the kernel, found by trial, or a disk without an answer."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ioprobe.target import alignment
from ioprobe.target.alignment import direct_alignment, reported_alignment
from stallscope.errors import UnableError


@pytest.fixture
def cached(tmp_path: Path) -> Iterator[int]:
    """A file of two pages, opened through the page cache, which accepts any size."""
    path = tmp_path / "some"
    path.write_bytes(bytes(8192))
    descriptor = os.open(path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def unreported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make statx report no alignment, as for some filesystems."""
    monkeypatch.setattr(alignment, "reported_alignment", lambda _: None)


def reader(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> None:
    """Replace the program that tries reads."""
    path.write_text(text)
    monkeypatch.setattr(alignment, "_PROGRAM", path)


def test_an_alignment_from_the_kernel_needs_no_read(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reader(monkeypatch, tmp_path / "never", "raise SystemExit('was run')")
    monkeypatch.setattr(alignment, "reported_alignment", lambda _: 1024)
    assert direct_alignment(cached, "some") == 1024


def test_reads_with_the_reported_alignment_succeed(cached: int) -> None:
    reported = reported_alignment(cached)
    path = f"/proc/self/fd/{cached}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        assert reported is None
        return
    try:
        assert reported is None or reported % alignment._probed_alignment(descriptor, "some") == 0
    finally:
        os.close(descriptor)


@pytest.mark.usefixtures("unreported")
def test_the_trial_finds_the_smallest_read(cached: int) -> None:
    assert direct_alignment(cached, "some") == 512


@pytest.mark.usefixtures("unreported")
@pytest.mark.parametrize("text", ["raise SystemExit(1)", ""])
def test_a_failed_trial_gives_the_largest_alignment(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    reader(monkeypatch, tmp_path / "silent", text)
    assert direct_alignment(cached, "some") == 4096


@pytest.mark.usefixtures("unreported")
def test_the_trial_is_abandoned_if_the_disk_does_not_answer(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(alignment, "_TIMEOUT_S", 0.3)
    reader(monkeypatch, tmp_path / "hung", "import signal\nsignal.pause()")
    with pytest.raises(
        UnableError, match=r"some: the disk did not answer a read of \d+ bytes within"
    ):
        direct_alignment(cached, "some")
