"""Signatures on a device, here in a file."""

import os
import struct
from pathlib import Path

import pytest

from ioprobe.target.signatures import signatures
from stallscope.errors import UnableError

SIZE = 1 << 20


def content_with(*parts: tuple[int, bytes]) -> bytes:
    content = bytearray(SIZE)
    for offset, part in parts:
        content[offset : offset + len(part)] = part
    return bytes(content)


# mkswap(8): version, last page and bad pages at 1024; the magic at the end of the first page
SWAP = content_with((1024, struct.pack("<III", 1, SIZE // 4096 - 1, 0)), (4086, b"SWAPSPACE2"))


@pytest.mark.parametrize(("content", "names"), [(bytes(SIZE), ()), (SWAP, ("swap",))])
def test_signatures_are_named(tmp_path: Path, content: bytes, names: tuple[str, ...]) -> None:
    path = tmp_path / "disk"
    path.write_bytes(content)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert signatures(descriptor, "disk") == names
    finally:
        os.close(descriptor)


def test_a_descriptor_that_cannot_be_searched_is_refused(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with pytest.raises(UnableError, match="so nothing is written"):
            signatures(descriptor, "disk")
    finally:
        os.close(descriptor)
