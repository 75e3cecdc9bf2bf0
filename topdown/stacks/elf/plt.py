"""Names for the entries of a procedure linkage table: ``puts@plt``."""

import struct

import numpy as np

from topdown.stacks.elf.file import EM_X86_64, SHT_DYNSYM, ElfFile
from topdown.stacks.symbol_table import PLT_SUFFIX, RANK_LOCAL, RANK_WEAK, Symbols

_MAX_ENTRIES = 65536
_ENTRY_SIZE = 16
_RELOCATION = np.dtype([("offset", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
_JUMP_SLOT = 7
_MAX_NAME = 4096
_MAX_NAMES_BYTES = 16 << 20


def plt_symbols(file: ElfFile) -> Symbols:
    """Return a symbol per PLT entry of an x86-64 file; none for other machines.

    Entries are in ``.plt.sec`` (with indirect branch tracking) or ``.plt`` (after its first,
    shared entry); an entry is identified by the slot of its indirect jump, not by its position.
    """
    names = _slot_names(file) if file.header.machine == EM_X86_64 else {}
    starts: list[int] = []
    offsets: list[int] = []
    strings = bytearray(b"\0")
    for start, slot in _entries(file) if names else []:
        name = names.get(slot)
        if name is not None:
            starts.append(start)
            offsets.append(len(strings))
            strings += name + PLT_SUFFIX + b"\0"
    count = len(starts)
    start_array = np.array(starts, np.uint64)
    return Symbols(
        start_array,
        np.full(count, _ENTRY_SIZE, np.uint64),
        start_array + np.uint64(_ENTRY_SIZE),
        np.full(count, RANK_WEAK | RANK_LOCAL, np.uint8),
        np.array(offsets, np.uint32),
        bytes(strings),
    )


def _slot_names(file: ElfFile) -> dict[int, bytes]:
    header = file.section(b".rela.plt")
    dynamic = np.flatnonzero(file.sections["type"] == SHT_DYNSYM)
    if header is None or not len(dynamic):
        return {}
    content = file.section_content(header)
    count = min(len(content) // _RELOCATION.itemsize, _MAX_ENTRIES)
    relocations = np.frombuffer(content, _RELOCATION, count)
    relocations = relocations[relocations["kind"] == _JUMP_SLOT]
    symbols = file.section_content(int(dynamic[0]))
    strings = file.section_content(int(file.sections["link"][int(dynamic[0])]))
    names: dict[int, bytes] = {}
    remaining_bytes = _MAX_NAMES_BYTES
    for slot, symbol in zip(
        relocations["offset"].tolist(), relocations["symbol"].tolist(), strict=True
    ):
        if (symbol + 1) * 24 > len(symbols):
            continue
        offset = struct.unpack_from("<I", symbols, symbol * 24)[0]
        end = strings.find(b"\0", offset, offset + _MAX_NAME)
        if end > offset:
            remaining_bytes -= end - offset
            if remaining_bytes < 0:
                break
            names[slot] = strings[offset:end]
    return names


def _entries(file: ElfFile) -> list[tuple[int, int]]:
    """Return (address, slot) of each entry: ``[endbr64] [bnd] jmp *slot(%rip)``."""
    entries: list[tuple[int, int]] = []
    for section in (b".plt.sec", b".plt"):
        header = file.section(section)
        if header is None:
            continue
        address = int(file.sections["address"][header])
        content = file.section_content(header)
        for at in range(0, min(len(content), _MAX_ENTRIES * _ENTRY_SIZE), _ENTRY_SIZE):
            jump = content.find(b"\xff\x25", at, at + 8)
            if jump >= 0 and jump + 6 <= len(content):
                distance = struct.unpack_from("<i", content, jump + 2)[0]
                entries.append((address + at, address + jump + 6 + distance))
    return entries
