"""What was made of a binary, kept by its build id, so that it is made once and may then be gone.

An entry is one file: a magic that tells kind and version, a CRC-32 of all that follows, the
content. No entry is ever executed or unpickled; one that does not fit its CRC is as none.
"""

import os
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stallscope.own_directory import own_directory, write_whole

_HEADER = struct.Struct("<8sI")
_SHORTEST_BUILD_ID = 4


@dataclass(frozen=True, slots=True)
class EntryCache:
    """A directory of our own with entries of one kind; without a directory nothing is kept.

    Neither one entry nor all together grow beyond their limits: those used longest ago go first.
    """

    directory: Path | None
    magic: bytes  # 8 bytes, others for every kind and version
    entry_limit_bytes: int
    all_limit_bytes: int

    def load(self, build_id: bytes) -> memoryview | None:
        """Return the content of a build id's entry, None where there is none that is whole."""
        if self.directory is None or len(build_id) < _SHORTEST_BUILD_ID:
            return None
        try:
            with own_directory(self.directory) as place:
                content = self._read(place, build_id.hex())
        except OSError:
            return None
        if len(content) < _HEADER.size:
            return None
        magic, crc = _HEADER.unpack_from(content)
        body = memoryview(content)[_HEADER.size :]
        return body if magic == self.magic and zlib.crc32(body) == crc else None

    def store(self, build_id: bytes, blocks: Sequence[bytes]) -> None:
        """Keep an entry; silently not where the directory is not ours alone, or is read-only."""
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
            with own_directory(directory) as place:
                write_whole(place, build_id.hex(), [_HEADER.pack(self.magic, crc), *blocks])
                self._make_room(place)

    def _read(self, directory: int, name: str) -> bytes:
        descriptor = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
        )
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            if os.fstat(descriptor).st_size > _HEADER.size + self.entry_limit_bytes:
                return b""
            with suppress(OSError):
                os.utime(descriptor)  # the entries used longest ago go first
            return file.read()

    def _make_room(self, directory: int) -> None:
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
