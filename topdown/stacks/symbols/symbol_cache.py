"""Cache of symbol tables by build id.

Content of an entry: the lengths of the arrays, the arrays (little-endian), the strings.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topdown.stacks.elf.file import addresses_of
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.sources import SymbolSources

LOADS = np.dtype([("flags", "<u4"), ("offset", "<u8"), ("address", "<u8"), ("file_size", "<u8")])
_HEADER = struct.Struct("<IQQQQ")  # is full, loads, groups, members, strings
_MAGIC = b"SSYM\x02\0\0\0"
_ENTRY_LIMIT = 64 << 20
_ALL_LIMIT = 512 << 20


@dataclass(frozen=True, slots=True)
class ObjectSymbols:
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


def load_symbols(build_id: bytes, sources: SymbolSources) -> ObjectSymbols | None:
    """Return the entry of a build id, None if it is missing or outdated.

    An entry is outdated if a debug file was installed since for a binary that had none.
    """
    content = _cache(sources).load(build_id)
    parsed = None if content is None else _parse(content)
    if parsed is None:
        return None
    symbols, is_full = parsed
    if not is_full and _debug_file_exists(build_id, sources):
        return None
    return symbols


def store_symbols(
    build_id: bytes, symbols: ObjectSymbols, sources: SymbolSources, *, is_full: bool
) -> None:
    """Store an entry; does nothing if the directory is not private to this user or read-only."""
    table = symbols.table
    if table is None or symbols.loads is None:
        return
    header = _HEADER.pack(
        is_full, len(symbols.loads), len(table.start), len(table.rank), len(table.strings)
    )
    _cache(sources).store(build_id, [header, *_blocks(table, symbols.loads)])


def _cache(sources: SymbolSources) -> BuildIdCache:
    return BuildIdCache(sources.cache_directory, _MAGIC, _ENTRY_LIMIT, _ALL_LIMIT)


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


def _parse(content: memoryview) -> tuple[ObjectSymbols, bool] | None:
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
