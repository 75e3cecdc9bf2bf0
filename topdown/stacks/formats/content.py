"""The content of a file to import: read within a limit; gzip and zstd are decompressed."""

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stallscope._native import ZstdStream
from stallscope.errors import RecordingError

MAX_BYTES = 1 << 30
HEAD_BYTES = 1 << 16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK_BYTES = 1 << 20


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed; empty if they cannot be decompressed."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    try:
        if head.startswith(_GZIP):
            return zlib.decompressobj(wbits=31).decompress(head, HEAD_BYTES)
        if head.startswith(_ZSTD):
            stream = ZstdStream()
            stream.feed(head)
            return stream.produce()[:HEAD_BYTES]
    except (ValueError, zlib.error):
        return b""
    return head


def read_content(path: Path) -> bytes:
    """Return the content of a file, decompressed; RecordingError if it is larger than MAX_BYTES."""
    return b"".join(_chunks(path))


@contextmanager
def plain_file(path: Path) -> Iterator[Path]:
    """Yield the path of the decompressed content, which is ``path`` if it is not compressed."""
    with path.open("rb") as file:
        is_compressed = file.read(4).startswith((_GZIP, _ZSTD))
    if not is_compressed:
        yield path
        return
    with tempfile.TemporaryFile() as copy:
        for chunk in _chunks(path):
            copy.write(chunk)
        copy.flush()
        yield Path(f"/proc/self/fd/{copy.fileno()}")


def _chunks(path: Path) -> Iterator[bytes]:
    size = 0
    try:
        with path.open("rb") as file:
            for chunk in _decompressed(file):
                size += len(chunk)
                if size > MAX_BYTES:
                    raise RecordingError(
                        f"{path} has more than {MAX_BYTES >> 20:,} MiB of content",
                        "export a shorter part, or perf script text, which has no limit",
                    )
                yield chunk
    except (EOFError, ValueError, gzip.BadGzipFile, zlib.error) as error:
        raise RecordingError(
            f"{path} is damaged: {error}", "copy it again, or export it again"
        ) from error


def _decompressed(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content in pieces. Raises EOFError, ValueError or zlib.error if it is damaged."""
    magic = file.read(4)
    file.seek(0)
    if magic == _ZSTD:
        yield from _zstd_pieces(file)
        return
    source = gzip.GzipFile(fileobj=file) if magic.startswith(_GZIP) else file
    while chunk := source.read(_CHUNK_BYTES):
        yield chunk


def _zstd_pieces(file: BinaryIO) -> Iterator[bytes]:
    stream = ZstdStream()
    while chunk := file.read(_CHUNK_BYTES):
        stream.feed(chunk)
        while piece := stream.produce():
            yield piece
    if not stream.complete:
        raise EOFError("the compressed content ends too early")
