"""Opening with O_DIRECT."""

import os
from pathlib import Path

import pytest

from ioprobe.target.direct_access import open_direct
from ioprobe.target.mounts import mount_of
from ioprobe.target.open_paths import open_path
from stallscope.system_files import Roots


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(bytes(8192))
    return path


def test_access_is_direct_or_has_a_reason(file: Path) -> None:
    handle = open_path(str(file))
    descriptor, access = open_direct(
        handle, os.O_RDONLY, mount=mount_of(handle, Roots()), name=str(file)
    )
    try:
        assert access.available == (access.missing is None)
        size = max(access.alignment_bytes, 512)
        assert size & (size - 1) == 0
        assert os.fstat(descriptor).st_ino == file.stat().st_ino
    finally:
        os.close(descriptor)
        os.close(handle)


def test_files_in_memory_have_no_direct_access() -> None:
    handle = os.memfd_create("test")
    try:
        descriptor, access = open_direct(handle, os.O_RDWR, mount=None, name="memory")
        os.close(descriptor)
    finally:
        os.close(handle)
    assert access.alignment_bytes >= 1
    assert access.available == (access.missing is None)
