"""Where functions begin and end by the unwind tables, for files stripped of their symbols.

The search table of ``.eh_frame_hdr`` holds the start of each function (LSB 5.0, 10.6.2), the
entries of ``.eh_frame`` their lengths. The entry of a function that nothing called says that its
return address is undefined (DW_CFA_undefined, DWARF 5, 6.4.2.3): so the outermost frame of a
thread is known without any name. glibc_entries.py adds what frame pointers end at.
"""

import re
import struct

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from topdown.stacks.elf.file import EM_386, EM_AARCH64, EM_X86_64, ElfError, ElfFile
from topdown.stacks.elf.glibc_threads import thread_ends
from topdown.stacks.symbol_table import ENTRY, RANK_LOCAL, RANK_UNNAMED, RANK_WEAK, Symbols

_RETURN_COLUMN = {EM_X86_64: 16, EM_AARCH64: 30, EM_386: 8}
_TABLE_ENCODING = 0x3B  # relative to the header's start, four bytes, signed
_COUNT_ENCODING = 0x03  # four bytes
_CANDIDATES_AT_MOST = 4096
_UNDEFINED = 0x07
# Operands of the instructions (DWARF 5, 7.24): l is LEB128, b a block, digits are bytes.
_OPERANDS = {
    0x00: "", 0x02: "1", 0x03: "2", 0x04: "4", 0x05: "ll", 0x06: "l", 0x07: "l", 0x08: "l",
    0x09: "ll", 0x0A: "", 0x0B: "", 0x0C: "ll", 0x0D: "l", 0x0E: "l", 0x0F: "b", 0x10: "lb",
    0x11: "ll", 0x12: "ll", 0x13: "l", 0x14: "ll", 0x15: "ll", 0x16: "lb", 0x2D: "", 0x2E: "l",
}  # fmt: skip


def unwind_functions(file: ElfFile) -> Symbols:
    """Return the functions of ``.eh_frame``, all without a name; none where it cannot be read.

    Those marked as the outermost of a stack carry the flag ENTRY. Only the encoding that linkers
    write on little-endian machines is read; other files have no such functions.
    """
    starts, places, frames = _search_table(file)
    sizes = _sizes(starts, places, frames)
    rank = np.full(len(starts), RANK_UNNAMED | RANK_WEAK | RANK_LOCAL, np.uint8)
    column = _RETURN_COLUMN.get(file.header.machine)
    if column is not None and len(starts):
        rank[_outermost(places, frames, column)] |= ENTRY
        rank[_holders(starts, sizes, thread_ends(file))] |= ENTRY
    known = sizes > 0
    return Symbols(
        starts[known],
        sizes[known],
        starts[known] + sizes[known],
        rank[known],
        np.zeros(int(known.sum()), np.uint32),
        b"\0",
    )


def _search_table(
    file: ElfFile,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], bytes]:
    """Return the functions' starts, the places of their entries in ``.eh_frame``, and that."""
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
    pairs = np.frombuffer(table, "<i4", 2 * count, 12).reshape(-1, 2).astype(np.int64)
    base = int(file.sections["address"][header])
    shift = base - int(file.sections["address"][frames])
    if not 0 <= base < 1 << 57 or abs(shift) >= 1 << 57:
        return nothing
    starts, places = pairs[:, 0] + base, pairs[:, 1] + shift
    sane = (starts >= 0) & (places >= 0) & (places + 16 <= len(content))
    return starts[sane].astype(np.uint64), places[sane], content


def _sizes(
    starts: npt.NDArray[np.uint64], places: npt.NDArray[np.int64], frames: bytes
) -> npt.NDArray[np.uint64]:
    """Return the length of each function, 0 where its entry is not in the usual encoding."""
    if not len(places):
        return np.zeros(0, np.uint64)
    content = np.frombuffer(frames, np.uint8)
    fields = sliding_window_view(content, 16)[places]
    words = np.ascontiguousarray(fields).view("<u4")
    following = np.append(starts[1:], np.iinfo(np.uint64).max)
    sizes = words[:, 3].astype(np.uint64)
    plain = (words[:, 0] != 0xFFFFFFFF) & (sizes <= following - starts)
    return np.where(plain, sizes, np.uint64(0))


def _outermost(places: npt.NDArray[np.int64], frames: bytes, column: int) -> list[int]:
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    found: list[int] = []
    for number, match in enumerate(re.finditer(bytes((_UNDEFINED, column)), frames)):
        if number >= _CANDIDATES_AT_MOST:
            break
        position = int(np.searchsorted(ordered, match.start(), side="right")) - 1
        if position >= 0 and _undefines(frames, int(ordered[position]), column):
            found.append(int(order[position]))
    return found


def _holders(
    starts: npt.NDArray[np.uint64], sizes: npt.NDArray[np.uint64], addresses: list[int]
) -> list[int]:
    """Return the functions that hold these addresses."""
    order = np.argsort(starts, kind="stable")
    found: list[int] = []
    for address in addresses:
        position = int(np.searchsorted(starts[order], np.uint64(address), side="right")) - 1
        row = int(order[position])
        if position >= 0 and address - int(starts[row]) < int(sizes[row]):
            found.append(row)
    return found


def _undefines(frames: bytes, place: int, column: int) -> bool:
    """Return whether the entry at ``place`` makes the return address undefined."""
    length = struct.unpack_from("<I", frames, place)[0]
    end = min(place + 4 + length, len(frames))
    at = place + 16  # length, parent, start, size; then the augmentation's length and bytes
    try:
        skipped, at = _leb128(frames, at)
        at += skipped
        while at < end:
            operation = frames[at]
            at += 1
            if operation >= 0x40:
                operands = "l" if operation >> 6 == 2 else ""
            else:
                operands = _OPERANDS[operation]
            if operation == _UNDEFINED and _leb128(frames, at)[0] == column:
                return True
            for operand in operands:
                at = _after(frames, at, operand)
    except (IndexError, KeyError):
        return False
    return False


def _after(frames: bytes, at: int, operand: str) -> int:
    if operand.isdigit():
        return at + int(operand)
    value, at = _leb128(frames, at)
    return at + value if operand == "b" else at


def _leb128(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise IndexError("number of more than ten bytes")
