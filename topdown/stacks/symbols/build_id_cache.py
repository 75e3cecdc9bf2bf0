"""A cache of data derived from binaries, by build id.

An entry is one file: a magic for kind and version, a CRC-32 of the rest, the identities of the
files that were read, the content. Entries are never executed or unpickled; an entry that does not
match its CRC is ignored. An entry whose files changed is outdated. It remains useful for old
recordings after its files were replaced: their build ids can only be derived again from the same
files.
"""

import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from stallscope.output_place import open_place
from stallscope.private_directory import private_directory, write_atomic
from topdown.stacks.symbols.file_identity import FileIdentity

_HEADER = struct.Struct("<8sI")
_COUNT = struct.Struct("<B")
_IDENTITY = struct.Struct("<HQQQqq")  # length of the path, device, inode, size, mtime, ctime
_SHORTEST_BUILD_ID = 4
_HEADER_LIMIT = 1 << 14  # of magic and identities
_NAME = re.compile(r"(?:[0-9a-f]{2}){4,64}|\.[0-9a-f]{8,128}\.[0-9]+\.part")


class CacheEntry(Struct, frozen=True):
    """The content of an entry, and the files from which it was derived."""

    identities: tuple[FileIdentity, ...]
    content: memoryview

    def is_current(self) -> bool:
        """Return whether all files are as they were when they were read."""
        return all(identity.is_current() for identity in self.identities)


class StoredEntry(Struct, frozen=True):
    """An entry in the directory; ``paths`` is empty if it is damaged."""

    build_id: str
    size_bytes: int
    used_ns: int  # wall clock
    paths: tuple[bytes, ...]


class BuildIdCache(Struct, frozen=True):
    """A private directory with entries of one kind; nothing is stored without a directory.

    Limits bound the size of one entry and of all entries; the least recently used are evicted.
    """

    directory: Path | None
    magic: bytes  # 8 bytes, unique to a kind and version
    entry_limit_bytes: int
    all_limit_bytes: int

    def load(self, build_id: bytes) -> CacheEntry | None:
        """Return a build id's entry, None if there is no intact one."""
        if self.directory is None or len(build_id) < _SHORTEST_BUILD_ID:
            return None
        try:
            with self._opened() as folder:
                content = self._read(folder, build_id.hex())
        except OSError:
            return None
        return self._parsed(content)

    def store(
        self,
        build_id: bytes,
        identities: Sequence[FileIdentity],
        blocks: Sequence[bytes | memoryview],
    ) -> None:
        """Store an entry; does nothing if the directory is not private or is read-only."""
        directory = self.directory
        if directory is None or len(build_id) < _SHORTEST_BUILD_ID:
            return
        if sum(len(block) for block in blocks) > self.entry_limit_bytes:
            return
        stored = [_packed(identities), *blocks]
        crc = 0
        for block in stored:
            crc = zlib.crc32(block, crc)
        with suppress(OSError):
            _make_parents(directory)
            with self._opened() as folder:
                write_atomic(folder, build_id.hex(), [_HEADER.pack(self.magic, crc), *stored])
                self._evict(folder)

    def entries(self) -> list[StoredEntry]:
        """Return all entries, the most recently used first. Raises OSError if it is not private."""
        if self.directory is None or not self.directory.exists():
            return []
        with self._opened() as folder:
            return [
                StoredEntry(name, size, used_ns, self._paths(folder, name))
                for used_ns, size, name in sorted(_files(folder), reverse=True)
                if not name.startswith(".")
            ]

    def clear(self) -> tuple[int, int]:
        """Remove all entries; return their number and size in bytes. Raises OSError."""
        if self.directory is None or not self.directory.exists():
            return 0, 0
        with self._opened() as folder:
            files = list(_files(folder))
            for _, _, name in files:
                os.unlink(name, dir_fd=folder)
        return len(files), sum(size for _, size, _ in files)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Yield a descriptor of the directory; OSError if another user could exchange it."""
        assert self.directory is not None
        parent = os.lstat(self.directory.parent)
        if (
            not stat.S_ISDIR(parent.st_mode)
            or parent.st_uid != os.geteuid()
            or parent.st_mode & 0o022
        ):
            raise PermissionError(f"{self.directory.parent}: another user can write to it")
        with private_directory(self.directory) as folder:
            yield folder

    def _parsed(self, content: bytes) -> CacheEntry | None:
        if len(content) < _HEADER.size:
            return None
        magic, crc = _HEADER.unpack_from(content)
        body = memoryview(content)[_HEADER.size :]
        if magic != self.magic or zlib.crc32(body) != crc:
            return None
        return _unpacked(body)

    def _read(self, directory: int, name: str) -> bytes:
        descriptor = os.open(name, _READ_FLAGS, dir_fd=directory)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            if os.fstat(descriptor).st_size > _HEADER_LIMIT + self.entry_limit_bytes:
                return b""
            with suppress(OSError):
                os.utime(descriptor)  # eviction removes the least recently used entries
            return file.read()

    def _paths(self, directory: int, name: str) -> tuple[bytes, ...]:
        """Return the paths of an entry without changing the time of its last use."""
        try:
            descriptor = os.open(name, _READ_FLAGS, dir_fd=directory)
            with os.fdopen(descriptor, "rb", buffering=0) as file:
                start = file.read(_HEADER_LIMIT)
        except OSError:
            return ()
        if start[:8] != self.magic:
            return ()
        entry = _unpacked(memoryview(start)[_HEADER.size :])
        return tuple(identity.path for identity in entry.identities) if entry is not None else ()

    def _evict(self, directory: int) -> None:
        files = list(_files(directory))
        total = sum(size for _, size, _ in files)
        for _, size, name in sorted(files):
            if total <= self.all_limit_bytes:
                return
            with suppress(OSError):
                os.unlink(name, dir_fd=directory)
            total -= size


_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _make_parents(directory: Path) -> None:
    """Create missing parents; raises OSError if root cannot trust the directory above them."""
    existing = next(parent for parent in directory.parents if parent.exists())
    with open_place(existing):
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _files(directory: int) -> Iterator[tuple[int, int, str]]:
    """Yield (time of last use, size, name) of our files; other files are not touched."""
    for entry in os.scandir(directory):
        if _NAME.fullmatch(entry.name) is None:
            continue
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            yield status.st_mtime_ns, status.st_size, entry.name


def _packed(identities: Sequence[FileIdentity]) -> bytes:
    parts = [_COUNT.pack(len(identities))]
    for identity in identities:
        numbers = (
            identity.device,
            identity.inode,
            identity.size_bytes,
            identity.modified_ns,
            identity.changed_ns,
        )
        parts += [_IDENTITY.pack(len(identity.path), *numbers), identity.path]
    return b"".join(parts)


def _unpacked(body: memoryview) -> CacheEntry | None:
    try:
        (count,) = _COUNT.unpack_from(body)
        position = _COUNT.size
        identities = []
        for _ in range(count):
            length, *numbers = _IDENTITY.unpack_from(body, position)
            position += _IDENTITY.size
            path = bytes(body[position : position + length])
            position += length
            identities.append(FileIdentity(path, *numbers))
    except struct.error:
        return None
    return CacheEntry(tuple(identities), body[position:])
