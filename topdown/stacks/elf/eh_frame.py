"""Bounds of functions from unwind tables, for files stripped of their symbols.

The search table in ``.eh_frame_hdr`` has the start of each function (LSB 5.0, 10.6.2), the
entries of ``.eh_frame`` have the lengths. The entry of a function without a caller marks its
return address as undefined (DW_CFA_undefined, DWARF 5, 6.4.2.3), which identifies the outermost
frame of a thread without its name. glibc_threads.py adds the functions at which chains of
frame pointers end.
"""

import re
import struct
from itertools import islice

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from topdown.stacks.elf.file import EM_386, EM_AARCH64, EM_X86_64, ElfError, ElfFile
from topdown.stacks.elf.glibc_threads import thread_ends
from topdown.stacks.symbol_table import ENTRY, RANK_LOCAL, RANK_UNNAMED, RANK_WEAK, Symbols

_RETURN_COLUMN = {EM_X86_64: 16, EM_AARCH64: 30, EM_386: 8}
_TABLE_ENCODING = 0x3B  # relative to the header's start, four bytes, signed
_COUNT_ENCODING = 0x03  # four bytes
_MAX_CANDIDATES = 4096
_MAX_OPERATIONS = 1 << 18  # of all candidates; an entry has about 20
_MAX_FUNCTIONS = 4 << 20
_UNDEFINED = 0x07
# Operands of the instructions (DWARF 5, 7.24): l is LEB128, b a block, digits are bytes.
_OPERANDS = {
    0x00: "", 0x02: "1", 0x03: "2", 0x04: "4", 0x05: "ll", 0x06: "l", 0x07: "l", 0x08: "l",
    0x09: "ll", 0x0A: "", 0x0B: "", 0x0C: "ll", 0x0D: "l", 0x0E: "l", 0x0F: "b", 0x10: "lb",
    0x11: "ll", 0x12: "ll", 0x13: "l", 0x14: "ll", 0x15: "ll", 0x16: "lb", 0x2D: "", 0x2E: "l",
}  # fmt: skip


def unwind_functions(file: ElfFile) -> Symbols:
    """Return the functions of ``.eh_frame``, all unnamed; empty if it cannot be read.

    Outermost functions of a stack have the flag ENTRY. Only the encoding that linkers write on
    little-endian machines is supported; for other files the result is empty.
    """
    starts, offsets, frames = _search_table(file)
    sizes = _sizes(starts, offsets, frames)
    rank = np.full(len(starts), RANK_UNNAMED | RANK_WEAK | RANK_LOCAL, np.uint8)
    column = _RETURN_COLUMN.get(file.header.machine)
    if column is not None and len(starts):
        rank[_outermost(offsets, frames, column)] |= ENTRY
        rank[_containing(starts, sizes, thread_ends(file))] |= ENTRY
    has_size = sizes > 0
    return Symbols(
        starts[has_size],
        sizes[has_size],
        starts[has_size] + sizes[has_size],
        rank[has_size],
        np.zeros(int(has_size.sum()), np.uint32),
        b"\0",
    )


def _search_table(
    file: ElfFile,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], bytes]:
    """Return the functions' starts, the offsets of their entries, and the ``.eh_frame`` section."""
    nothing = np.zeros(0, np.uint64), np.zeros(0, np.int64), b""
    header, frames = file.section(b".eh_frame_hdr"), file.section(b".eh_frame")
    if header is None or frames is None or file.header.order != "<":
        return nothing
    try:
        table, content = file.section_content(header), file.section_content(frames)
    except ElfError:
        return nothing
    if len(table) < 12 or table[0] != 1 or table[2:4] != bytes((_COUNT_ENCODING, _TABLE_ENCODING)):
        return nothing
    count = min(struct.unpack_from("<I", table, 8)[0], (len(table) - 12) // 8)
    if count > _MAX_FUNCTIONS:
        raise ElfError(f"{file.source.name}: {count} functions, the limit is {_MAX_FUNCTIONS}")
    pairs = np.frombuffer(table, "<i4", 2 * count, 12).reshape(-1, 2).astype(np.int64)
    base = int(file.sections["address"][header])
    shift = base - int(file.sections["address"][frames])
    if not 0 <= base < 1 << 57 or abs(shift) >= 1 << 57:
        return nothing
    starts, offsets = pairs[:, 0] + base, pairs[:, 1] + shift
    valid = (starts >= 0) & (offsets >= 0) & (offsets + 16 <= len(content))
    return starts[valid].astype(np.uint64), offsets[valid], content


def _sizes(
    starts: npt.NDArray[np.uint64], offsets: npt.NDArray[np.int64], frames: bytes
) -> npt.NDArray[np.uint64]:
    """Return the length of each function, 0 if its entry has an unsupported encoding."""
    if not len(offsets):
        return np.zeros(0, np.uint64)
    content = np.frombuffer(frames, np.uint8)
    fields = sliding_window_view(content, 16)[offsets]
    words = np.ascontiguousarray(fields).view("<u4")
    following = np.append(starts[1:], np.iinfo(np.uint64).max)
    sizes = words[:, 3].astype(np.uint64)
    plain = (words[:, 0] != 0xFFFFFFFF) & (sizes <= following - starts)
    return np.where(plain, sizes, np.uint64(0))


def _outermost(offsets: npt.NDArray[np.int64], frames: bytes, column: int) -> list[int]:
    order = np.argsort(offsets, kind="stable")
    ordered = offsets[order]
    functions: list[int] = []
    operations = _MAX_OPERATIONS
    candidates = re.finditer(bytes((_UNDEFINED, column)), frames)
    for match in islice(candidates, _MAX_CANDIDATES):
        position = int(np.searchsorted(ordered, match.start(), side="right")) - 1
        if position < 0:
            continue
        undefines, operations = _undefines(frames, int(ordered[position]), column, operations)
        if undefines:
            functions.append(int(order[position]))
    return functions


def _containing(
    starts: npt.NDArray[np.uint64], sizes: npt.NDArray[np.uint64], addresses: list[int]
) -> list[int]:
    """Return the rows of the functions that contain these addresses."""
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    functions: list[int] = []
    for address in addresses:
        position = int(np.searchsorted(ordered, np.uint64(address), side="right")) - 1
        row = int(order[position])
        if position >= 0 and address - int(starts[row]) < int(sizes[row]):
            functions.append(row)
    return functions


def _undefines(frames: bytes, offset: int, column: int, operations: int) -> tuple[bool, int]:
    """Return whether the entry at ``offset`` marks the return address as undefined.

    At most ``operations`` instructions are read; the second value is how many remain.
    """
    length = struct.unpack_from("<I", frames, offset)[0]
    end = min(offset + 4 + length, len(frames))
    position = offset + 16  # length, parent, start, size; then the augmentation's length and bytes
    try:
        skipped, position = _leb128(frames, position)
        position += skipped
        while position < end and operations > 0:
            operations -= 1
            operation = frames[position]
            position += 1
            if operation >= 0x40:
                operands = "l" if operation >> 6 == 2 else ""
            else:
                operands = _OPERANDS[operation]
            if operation == _UNDEFINED and _leb128(frames, position)[0] == column:
                return True, operations
            for operand in operands:
                position = _skip_operand(frames, position, operand)
    except (IndexError, KeyError):
        return False, operations
    return False, operations


def _skip_operand(frames: bytes, position: int, operand: str) -> int:
    if operand.isdigit():
        return position + int(operand)
    value, position = _leb128(frames, position)
    return position + value if operand == "b" else position


def _leb128(content: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise IndexError("LEB128 number longer than ten bytes")
