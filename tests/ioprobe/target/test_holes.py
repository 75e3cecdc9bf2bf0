"""Holes in files."""

import os
from pathlib import Path

import pytest

from ioprobe.target.holes import hole_share

MIB = 2**20


def share(path: Path, size_bytes: int) -> float:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return hole_share(descriptor, size_bytes)
    finally:
        os.close(descriptor)


def test_a_written_file_has_no_holes_and_a_truncated_one_has_no_data(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * MIB)
    assert share(path, MIB) == 0
    os.truncate(path, 4 * MIB)
    assert share(path, 4 * MIB) == pytest.approx(0.75)


def test_holes_between_data_are_added(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        for begin in (0, 2, 4):
            file.seek(begin * MIB)
            file.write(b"x" * MIB)
        file.truncate(6 * MIB)
    assert share(path, 6 * MIB) == pytest.approx(0.5)


def test_a_file_that_reports_no_holes_counts_as_written(tmp_path: Path) -> None:
    assert share(Path("/dev/zero"), MIB) == 0
