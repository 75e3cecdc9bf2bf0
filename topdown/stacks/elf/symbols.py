"""The symbols of an ELF file and of its separate debug file, as one table."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from topdown.stacks.elf.eh_frame import unwind_functions
from topdown.stacks.elf.file import (
    EM_AARCH64,
    EM_ARM,
    SHF_EXECINSTR,
    SHT_DYNSYM,
    SHT_SYMTAB,
    ElfError,
    ElfFile,
)
from topdown.stacks.elf.plt import plt_symbols
from topdown.stacks.symbol_table import (
    RANK_LOCAL,
    RANK_SIZELESS,
    RANK_WEAK,
    Symbols,
    SymbolTable,
    build_table,
)

_ENTRY_SIZE = 64  # upper bound for _start if the file has no symbol for its entry point
_STT_NOTYPE, _STT_FUNC, _STT_IFUNC = 0, 2, 10
_STB_LOCAL, _STB_WEAK = 0, 2
_HIDDEN = (1, 2)  # STV_INTERNAL, STV_HIDDEN
_SHN_RESERVED = 0xFF00
_ADDRESS_LIMIT = np.uint64(1 << 57)
_MAX_SYMBOLS = 8 << 20


def symbol_table(main: ElfFile, debug: ElfFile | None = None) -> SymbolTable:
    """Return the functions of a file, from the most complete table.

    That is ``.symtab`` of the file or of its debug file, otherwise ``.dynsym`` and the compressed
    table in ``.gnu_debugdata``. PLT entries, an entry point without a symbol, and unnamed
    functions from ``.eh_frame`` are added. Raises ElfError.
    """
    full_table: Symbols | None = None
    for file in (main, debug):
        if full_table is None and file is not None:
            full_table = _read_symbols(file, SHT_SYMTAB, main)
    if full_table is None:
        packed = main.mini_debug_file()
        tables = [
            _read_symbols(main, SHT_DYNSYM, main),
            _read_symbols(packed, SHT_SYMTAB, main) if packed is not None else None,
        ]
        full_table = join_symbols(table for table in tables if table is not None)
    parts = [full_table, plt_symbols(main), _entry_symbol(main), unwind_functions(main)]
    return build_table(join_symbols(parts), versioned=True)


def _entry_symbol(file: ElfFile) -> Symbols:
    entry = file.header.entry & (~1 if file.header.machine == EM_ARM else ~0)
    present = 0 < entry < int(_ADDRESS_LIMIT)
    start = np.array([entry] if present else [], np.uint64)
    return Symbols(
        start,
        np.zeros(len(start), np.uint64),
        start + np.uint64(_ENTRY_SIZE),
        np.full(len(start), RANK_SIZELESS | RANK_WEAK | RANK_LOCAL, np.uint8),
        np.zeros(len(start), np.uint32),
        b"_start\0",
    )


def join_symbols(parts: Iterable[Symbols]) -> Symbols:
    """Return the symbols of all parts with one concatenated string table."""
    symbol_lists = list(parts)
    if not symbol_lists:
        none = np.zeros(0, np.uint64)
        return Symbols(none, none, none, np.zeros(0, np.uint8), np.zeros(0, np.uint32), b"")
    offsets = np.cumsum([0] + [len(table.strings) for table in symbol_lists[:-1]])
    if int(offsets[-1]) + len(symbol_lists[-1].strings) >= 1 << 32:
        raise ElfError("string tables of more than 4 GiB")
    return Symbols(
        np.concatenate([table.start for table in symbol_lists]),
        np.concatenate([table.size for table in symbol_lists]),
        np.concatenate([table.limit for table in symbol_lists]),
        np.concatenate([table.rank for table in symbol_lists]),
        np.concatenate(
            [
                table.name_offset + np.uint32(offset)
                for table, offset in zip(symbol_lists, offsets.tolist(), strict=True)
            ]
        ),
        b"".join(table.strings for table in symbol_lists),
    )


def _symbol_layout(file: ElfFile) -> np.dtype[np.void]:
    order = file.header.order
    name, short = ("name", order + "u4"), ("section", order + "u2")
    flags = [("kind", "u1"), ("visibility", "u1")]
    if file.header.is_64:
        return np.dtype([name, *flags, short, ("value", order + "u8"), ("size", order + "u8")])
    return np.dtype([name, ("value", order + "u4"), ("size", order + "u4"), *flags, short])


def _read_symbols(file: ElfFile, section_type: int, main: ElfFile) -> Symbols | None:
    """Return the functions of the first table of that type, None if there is none."""
    tables = np.flatnonzero(file.sections["type"] == section_type)
    if not len(tables):
        return None
    layout = _symbol_layout(file)
    row = file.sections[int(tables[0])]
    content = file.section_content(int(tables[0]))
    count = len(content) // layout.itemsize
    if count > _MAX_SYMBOLS:
        raise ElfError(f"{file.source.name}: {count} symbols, the limit is {_MAX_SYMBOLS}")
    table = np.frombuffer(content, layout, count)
    strings = file.section_content(int(row["link"]))
    table = table[_is_function(table, file, len(strings))]
    start = table["value"].astype(np.uint64)
    if main.header.machine == EM_ARM:
        start &= ~np.uint64(1)  # bit 0 marks Thumb code
    size = table["size"].astype(np.uint64)
    binding = table["kind"] >> 4
    rank = (
        np.where(size == 0, RANK_SIZELESS, 0)
        | np.where(binding == _STB_WEAK, RANK_WEAK, 0)
        | np.where(binding == _STB_LOCAL, RANK_LOCAL, 0)
    ).astype(np.uint8)
    limit = _section_ends(file)[np.minimum(table["section"], len(file.sections))]
    return Symbols(start, size, limit, rank, table["name"].astype(np.uint32), strings)


def _section_ends(file: ElfFile) -> npt.NDArray[np.uint64]:
    ends = file.sections["address"].astype(np.uint64) + file.sections["size"].astype(np.uint64)
    return np.append(ends, _ADDRESS_LIMIT)


def _is_function(
    table: npt.NDArray[np.void], file: ElfFile, string_size: int
) -> npt.NDArray[np.bool_]:
    kind, section = table["kind"] & 0xF, table["section"]
    valid = (
        (table["name"] != 0)
        & (table["name"] < string_size)
        & (section != 0)
        & (table["value"] < _ADDRESS_LIMIT)
        & (table["size"] < _ADDRESS_LIMIT)
    )
    function = (kind == _STT_FUNC) | (kind == _STT_IFUNC)
    executable = np.append((file.sections["flags"] & SHF_EXECINSTR) != 0, False)
    in_text = executable[np.minimum(section, len(file.sections))]
    visible = ~np.isin(table["visibility"] & 3, _HIDDEN)
    label = (kind == _STT_NOTYPE) & in_text & visible & (section < _SHN_RESERVED)
    if file.header.machine in (EM_ARM, EM_AARCH64):
        label &= (table["kind"] >> 4) != _STB_LOCAL  # $x and $d mark code and data
    return np.asarray(valid & (function | label))
