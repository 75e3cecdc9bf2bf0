"""A cache of data derived from binaries, by build id.

The data is derived once and stays available after the binary is deleted. An entry is one file: a
magic for kind and version, a CRC-32 of the content, the content. Entries are never executed or
unpickled; an entry that does not match its CRC is ignored.
"""

import os
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stallscope.private_directory import private_directory, write_atomic

_HEADER = struct.Struct("<8sI")
_SHORTEST_BUILD_ID = 4


@dataclass(frozen=True, slots=True)
class BuildIdCache:
    """A private directory with entries of one kind; nothing is stored without a directory.

    Limits bound the size of one entry and of all entries; the least recently used are evicted.
    """

    directory: Path | None
    magic: bytes  # 8 bytes, unique to a kind and version
    entry_limit_bytes: int
    all_limit_bytes: int

    def load(self, build_id: bytes) -> memoryview | None:
        """Return the content of a build id's entry, None if there is no intact entry."""
        if self.directory is None or len(build_id) < _SHORTEST_BUILD_ID:
            return None
        try:
            with private_directory(self.directory) as place:
                content = self._read(place, build_id.hex())
        except OSError:
            return None
        if len(content) < _HEADER.size:
            return None
        magic, crc = _HEADER.unpack_from(content)
        body = memoryview(content)[_HEADER.size :]
        return body if magic == self.magic and zlib.crc32(body) == crc else None

    def store(self, build_id: bytes, blocks: Sequence[bytes]) -> None:
        """Store an entry; does nothing if the directory is not private or is read-only."""
        directory = self.directory
        if directory is None or len(build_id) < _SHORTEST_BUILD_ID:
            return
        if sum(len(block) for block in blocks) > self.entry_limit_bytes:
            return
        crc = 0
        for block in blocks:
            crc = zlib.crc32(block, crc)
        with suppress(OSError):
            directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with private_directory(directory) as place:
                write_atomic(place, build_id.hex(), [_HEADER.pack(self.magic, crc), *blocks])
                self._evict(place)

    def _read(self, directory: int, name: str) -> bytes:
        descriptor = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
        )
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            if os.fstat(descriptor).st_size > _HEADER.size + self.entry_limit_bytes:
                return b""
            with suppress(OSError):
                os.utime(descriptor)  # eviction removes the least recently used entries
            return file.read()

    def _evict(self, directory: int) -> None:
        entries = []
        for entry in os.scandir(directory):
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                entries.append((status.st_mtime_ns, status.st_size, entry.name))
        total = sum(size for _, size, _ in entries)
        for _, size, name in sorted(entries):
            if total <= self.all_limit_bytes:
                return
            with suppress(OSError):
                os.unlink(name, dir_fd=directory)
            total -= size
