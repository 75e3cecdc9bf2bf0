"""Cache of symbol tables by build id.

Content of an entry: the lengths of the arrays, the arrays (little-endian), the strings.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from topdown.stacks.elf.file import addresses_of
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.sources import SymbolSources

LOADS = np.dtype([("flags", "<u4"), ("offset", "<u8"), ("address", "<u8"), ("file_size", "<u8")])
_HEADER = struct.Struct("<IQQQQ")  # is full, loads, groups, members, strings
_MAGIC = b"SSYM\x03\0\0\0"
ENTRY_LIMIT = 64 << 20
_ALL_LIMIT = 512 << 20


class ObjectSymbols(Struct, frozen=True):
    """An object's symbols, and the mapping from frame addresses to symbol addresses.

    ``loads``: segments of dtype LOADS; None if frames have absolute addresses. ``table`` is None
    if the object could not be read.
    """

    table: SymbolTable | None
    loads: npt.NDArray[np.void] | None
    warning: ProfileWarning | None = None

    def symbol_addresses(
        self, addresses: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the addresses in the symbol table's address space, and whether each is known."""
        if self.loads is None:
            return addresses, np.ones(len(addresses), np.bool_)
        return addresses_of(self.loads, addresses)

    @property
    def size_bytes(self) -> int:
        """Return the size of the table."""
        table = self.table
        if table is None:
            return 0
        return sum(array.nbytes for array in _arrays(table)) + len(table.strings)

    def restricted_to(self, addresses: npt.NDArray[np.uint64]) -> "ObjectSymbols":
        """Return only the symbols at these frame addresses."""
        if self.table is None:
            return self
        translated, in_segment = self.symbol_addresses(addresses)
        groups = self.table.look_up(translated[in_segment])
        table, _ = self.table.restricted_to(groups[groups >= 0], kept_bytes=0)
        return ObjectSymbols(table, self.loads, self.warning)


def symbol_cache(sources: SymbolSources) -> BuildIdCache:
    """Return the cache of symbol tables."""
    return BuildIdCache(sources.cache_directory, _MAGIC, ENTRY_LIMIT, _ALL_LIMIT)


def load_symbols(build_id: bytes, sources: SymbolSources) -> tuple[ObjectSymbols, bool] | None:
    """Return the symbols of a build id's entry and whether it is up to date; None without entry.

    An entry is outdated if one of its files changed, or if a debug file was installed since for a
    binary that had none.
    """
    entry = symbol_cache(sources).load(build_id)
    parsed = None if entry is None else decode_symbols(entry.content)
    if entry is None or parsed is None:
        return None
    symbols, is_full = parsed
    current = entry.is_current() and (is_full or not _debug_file_exists(build_id, sources))
    return symbols, current


def encode_symbols(symbols: ObjectSymbols, *, is_full: bool) -> Iterator[bytes]:
    """Yield the blocks of an entry's content; symbols must have a table and segments."""
    table, loads = symbols.table, symbols.loads
    assert table is not None
    assert loads is not None
    yield _HEADER.pack(is_full, len(loads), len(table.start), len(table.rank), len(table.strings))
    yield from _blocks(table, loads)


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


def decode_symbols(content: memoryview) -> tuple[ObjectSymbols, bool] | None:
    """Return an entry, and whether it has the full symbol table; None if it is damaged."""
    if len(content) < _HEADER.size:
        return None
    is_full, loads, groups, members, strings = _HEADER.unpack_from(content)
    counts = (loads, groups, groups, groups, groups, members, members)
    layouts = (LOADS, *(np.dtype(layout) for layout in _LAYOUTS))
    size = sum(count * kind.itemsize for count, kind in zip(counts, layouts, strict=True))
    if len(content) != _HEADER.size + size + strings:
        return None
    arrays = []
    position = _HEADER.size
    for count, kind in zip(counts, layouts, strict=True):
        arrays.append(np.frombuffer(content, kind, count, position))
        position += count * kind.itemsize
    segments, start, end, covered, first, name_offset, rank = arrays
    table = SymbolTable(
        start, end, first, covered, rank, name_offset, bytes(content[position:]), True
    )
    return ObjectSymbols(table, segments), bool(is_full)


def _debug_file_exists(build_id: bytes, sources: SymbolSources) -> bool:
    name = build_id.hex()
    return any(
        Path(os.fsdecode(directory), ".build-id", name[:2], f"{name[2:]}.debug").exists()
        for directory in sources.debug_directories
    )
