"""Reading within a limit."""

import gzip
from pathlib import Path

import pytest

from stallscope.errors import RecordingError
from topdown.stacks.formats import content
from topdown.stacks.formats.content import plain_file, read_content, read_head


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


@pytest.mark.parametrize(
    "damaged",
    [gzip.compress(bytes(range(256)))[:-9], b"\x1f\x8bxxxxxxxxxxxx", b"\x28\xb5\x2f\xfdxx"],
)
def test_damaged_and_zstd_content_are_errors(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "x"
    file.write_bytes(damaged)
    read_head(file)
    with pytest.raises(RecordingError, match="is damaged|compressed by zstd"):
        read_content(file)
