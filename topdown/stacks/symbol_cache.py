"""Symbol tables kept by build id, so that a binary is read once and may then be gone.

An entry is one file: a header with the lengths of the arrays, a CRC-32 of all that follows, the
arrays (little-endian, as they stand in memory), the strings. No entry is ever executed or
unpickled; one that does not fit its CRC is built anew.
"""

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topdown.stacks.elf_file import addresses_of
from topdown.stacks.own_directory import own_directory, write_whole
from topdown.stacks.profile import Warning as ProfileWarning
from topdown.stacks.symbol_sources import SymbolSources
from topdown.stacks.symbol_table import SymbolTable

LOADS = np.dtype([("flags", "<u4"), ("offset", "<u8"), ("address", "<u8"), ("file_size", "<u8")])
_HEADER = struct.Struct("<8sIIQQQQ")  # magic, CRC, full or not, loads, groups, members, strings
_MAGIC = b"SSYM\x01\0\0\0"
_ENTRY_LIMIT = 64 << 20
_ALL_LIMIT = 512 << 20


@dataclass(frozen=True, slots=True)
class ObjectSymbols:
    """An object's symbols, and how addresses of frames become addresses of symbols.

    ``loads``: segments, of type LOADS; None where frames have absolute addresses. ``table`` None:
    the object could not be read.
    """

    table: SymbolTable | None
    loads: npt.NDArray[np.void] | None
    warning: ProfileWarning | None = None

    def symbol_addresses(
        self, addresses: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the addresses in the symbols' terms, and whether each is known."""
        if self.loads is None:
            return addresses, np.ones(len(addresses), np.bool_)
        return addresses_of(self.loads, addresses)


def load_symbols(build_id: bytes, sources: SymbolSources) -> ObjectSymbols | None:
    """Return the entry of a build id, None where there is none, or a better one can be made.

    Better: a debug file has appeared since for a binary that had none.
    """
    directory = sources.cache_directory
    if directory is None or len(build_id) < 4:
        return None
    try:
        with own_directory(directory) as place:
            content = _read(place, build_id.hex())
    except OSError:
        return None
    parsed = _parse(content)
    if parsed is None:
        return None
    symbols, is_full = parsed
    if not is_full and _debug_file_stands(build_id, sources):
        return None
    return symbols


def store_symbols(
    build_id: bytes, symbols: ObjectSymbols, sources: SymbolSources, *, is_full: bool
) -> None:
    """Keep an entry; silently not where the directory is not ours alone or cannot be written."""
    directory = sources.cache_directory
    if directory is None or len(build_id) < 4 or symbols.table is None or symbols.loads is None:
        return
    blocks = list(_blocks(symbols.table, symbols.loads))
    if sum(len(block) for block in blocks) > _ENTRY_LIMIT:
        return
    crc = 0
    for block in blocks:
        crc = zlib.crc32(block, crc)
    table = symbols.table
    header = _HEADER.pack(
        _MAGIC, crc, is_full, len(symbols.loads), len(table.start), len(table.rank),
        len(table.strings),
    )  # fmt: skip
    with suppress(OSError):
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with own_directory(directory) as place:
            write_whole(place, build_id.hex(), [header, *blocks])
            _make_room(place)


def _blocks(table: SymbolTable, loads: npt.NDArray[np.void]) -> Iterator[bytes]:
    yield loads.tobytes()
    for array, layout in zip(_arrays(table), _LAYOUTS, strict=True):
        yield array.astype(layout, copy=False).tobytes()
    yield table.strings


_LAYOUTS = ("<u8", "<u8", "<u8", "<u4", "<u4", "u1")


def _arrays(table: SymbolTable) -> list[npt.NDArray[np.unsignedinteger]]:
    return [
        table.start, table.end, table.covered, table.first, table.name_offset, table.rank,
    ]  # fmt: skip


def _read(directory: int, name: str) -> bytes:
    descriptor = os.open(
        name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
    )
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if os.fstat(descriptor).st_size > _HEADER.size + _ENTRY_LIMIT:
            return b""
        with suppress(OSError):
            os.utime(descriptor)  # the entries used longest ago go first
        return file.read()


def _parse(content: bytes) -> tuple[ObjectSymbols, bool] | None:
    """Return an entry, and whether it has the full symbol table; None where it is damaged."""
    if len(content) < _HEADER.size:
        return None
    magic, crc, is_full, loads, groups, members, strings = _HEADER.unpack_from(content)
    counts = (loads, groups, groups, groups, groups, members, members)
    layouts = (LOADS, *(np.dtype(layout) for layout in _LAYOUTS))
    size = sum(count * kind.itemsize for count, kind in zip(counts, layouts, strict=True))
    body = memoryview(content)[_HEADER.size :]
    if magic != _MAGIC or len(body) != size + strings or zlib.crc32(body) != crc:
        return None
    arrays = []
    at = _HEADER.size
    for count, kind in zip(counts, layouts, strict=True):
        arrays.append(np.frombuffer(content, kind, count, at))
        at += count * kind.itemsize
    segments, start, end, covered, first, name_offset, rank = arrays
    table = SymbolTable(start, end, first, covered, rank, name_offset, content[at:], True)
    return ObjectSymbols(table, segments), bool(is_full)


def _debug_file_stands(build_id: bytes, sources: SymbolSources) -> bool:
    name = build_id.hex()
    return any(
        Path(os.fsdecode(directory), ".build-id", name[:2], f"{name[2:]}.debug").exists()
        for directory in sources.debug_directories
    )


def _make_room(directory: int) -> None:
    entries = []
    for entry in os.scandir(directory):
        with suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            entries.append((status.st_mtime_ns, status.st_size, entry.name))
    total = sum(size for _, size, _ in entries)
    for _, size, name in sorted(entries):
        if total <= _ALL_LIMIT:
            return
        with suppress(OSError):
            os.unlink(name, dir_fd=directory)
        total -= size
