"""Reading within a limit."""

import gzip
from pathlib import Path

import pytest

from stallscope.errors import RecordingError
from topdown.stacks.formats import content
from topdown.stacks.formats.content import plain_file, read_content, read_head

# Frames of RFC 8878: a line, and 64 MiB of zeros as 512 blocks of one repeated byte.
ZSTD_LINE = bytes.fromhex("28b52ffd200b5900007372763b6d61696e20310a")
ZSTD_64_MIB = b"\x28\xb5\x2f\xfd\x00\x38" + b"\x02\0\x10\0" * 511 + b"\x03\0\x10\0"


def test_compressed_content_is_decompressed(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(gzip.compress(b"srv;main 1\n"))
    assert read_head(file) == read_content(file) == b"srv;main 1\n"
    with plain_file(file) as plain:
        assert plain.read_bytes() == b"srv;main 1\n"
    file.write_bytes(b"srv;main 1\n")
    with plain_file(file) as plain:
        assert plain == file


def test_a_bomb_is_refused_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MAX_BYTES", 1 << 20)
    file = tmp_path / "bomb"
    file.write_bytes(gzip.compress(bytes(64 << 20)))
    assert len(read_head(file)) == content.HEAD_BYTES
    with pytest.raises(RecordingError, match="more than 1 MiB of content"):
        read_content(file)


def test_zstd_content_is_decompressed_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x"
    file.write_bytes(ZSTD_LINE + ZSTD_LINE)
    assert read_head(file) == b"srv;main 1\n"
    assert read_content(file) == b"srv;main 1\n" * 2
    with plain_file(file) as plain:
        assert plain.read_bytes() == b"srv;main 1\n" * 2
    monkeypatch.setattr(content, "MAX_BYTES", 1 << 20)
    file.write_bytes(ZSTD_64_MIB)
    assert read_head(file) == bytes(content.HEAD_BYTES)
    with pytest.raises(RecordingError, match="more than 1 MiB of content"):
        read_content(file)


@pytest.mark.parametrize(
    "damaged",
    [
        gzip.compress(bytes(range(256)))[:-9],
        b"\x1f\x8bxxxxxxxxxxxx",
        b"\x28\xb5\x2f\xfdxx",
        ZSTD_LINE[:-3],
        ZSTD_LINE + b"not zstd",
    ],
)
def test_damaged_content_is_an_error(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "x"
    file.write_bytes(damaged)
    read_head(file)
    with pytest.raises(RecordingError, match="is damaged"):
        read_content(file)
