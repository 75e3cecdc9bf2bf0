"""Files that made reading symbols take gigabytes or minutes, in any size."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE = 1, 2, 3, 7
SHF_ALLOC, SHF_EXECINSTR, SHF_COMPRESSED = 0x2, 0x4, 0x800
_HEADER_BYTES, _SECTION_BYTES = 64, 64
BUILD_ID = bytes(range(20))


@dataclass(frozen=True)
class Section:
    """A section; ``link`` is the number of the section with its strings, from 1."""

    name: bytes
    kind: int
    content: bytes
    flags: int = 0
    address: int = 0
    link: int = 0
    entry_bytes: int = 0


def elf_file(*sections: Section) -> bytes:
    """Return an ELF file for x86-64 with these sections and a build id."""
    note = struct.pack("<III4s", 4, len(BUILD_ID), 3, b"GNU\0") + BUILD_ID
    listed = [
        Section(b"", 0, b""),
        *sections,
        Section(b".note.gnu.build-id", SHT_NOTE, note),
    ]
    names = b"".join(section.name + b"\0" for section in listed) + b".shstrtab\0"
    listed.append(Section(b".shstrtab", SHT_STRTAB, names))
    table, body, name_at = b"", b"", 0
    for section in listed:
        place = _HEADER_BYTES + len(body)
        table += struct.pack(
            "<IIQQQQIIQQ", name_at, section.kind, section.flags, section.address, place,
            len(section.content), section.link, 0, 8, section.entry_bytes,
        )  # fmt: skip
        body += section.content
        name_at += len(section.name) + 1
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, 62, 1, 0, 0, _HEADER_BYTES + len(body),
        0, _HEADER_BYTES, 56, 0, _SECTION_BYTES, len(listed), len(listed) - 1,
    )  # fmt: skip
    return header + body + table


def compressed(size_bytes: int, pattern: bytes = b"\0") -> bytes:
    """Return the content of a compressed section that inflates to ``size_bytes``."""
    packer = zlib.compressobj(9)
    block = (pattern * (1 + (1 << 20) // len(pattern)))[: 1 << 20]
    parts = [struct.pack("<IIQQ", 1, 0, size_bytes, 8)]
    remaining = size_bytes
    while remaining > 0:
        parts.append(packer.compress(block[:remaining]))
        remaining -= len(block)
    return b"".join([*parts, packer.flush()])


def compressed_frames(inflated_bytes: int) -> bytes:
    """Return an ELF file whose unwind entries are compressed, although they are loaded."""
    count = inflated_bytes // 16
    search_table = b"\x01\x1b\x03\x3b" + struct.pack("<iI", 0, count)
    flags = SHF_ALLOC | SHF_COMPRESSED
    return elf_file(
        Section(b".eh_frame", SHT_PROGBITS, compressed(inflated_bytes), flags, 0x100000),
        Section(
            b".eh_frame_hdr",
            SHT_PROGBITS,
            compressed(12 + 8 * count, search_table),
            flags,
            0x1000,
        ),
    )


def compressed_symbols(inflated_bytes: int) -> bytes:
    """Return an ELF file with compressed symbols and names."""
    symbol = struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000, 16)
    return elf_file(
        Section(b".text", SHT_PROGBITS, b"\xc3" * 64, SHF_ALLOC | SHF_EXECINSTR, 0x1000),
        Section(b".symtab", SHT_SYMTAB, compressed(inflated_bytes, symbol), SHF_COMPRESSED,
                link=3, entry_bytes=24),
        Section(b".strtab", SHT_STRTAB, compressed(inflated_bytes, b"\0name"), SHF_COMPRESSED),
    )  # fmt: skip


def many_symbols(count: int) -> bytes:
    """Return an ELF file with symbols at descending addresses, which have to be sorted."""
    symbols = b"".join(
        struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000 + 16 * (count - number), 8)
        for number in range(count)
    )
    return elf_file(
        Section(b".text", SHT_PROGBITS, b"\xc3" * 64, SHF_ALLOC | SHF_EXECINSTR, 0x1000),
        Section(b".symtab", SHT_SYMTAB, symbols, link=3, entry_bytes=24),
        Section(b".strtab", SHT_STRTAB, b"\0name\0"),
    )


def undefined_everywhere(size_bytes: int) -> bytes:
    """Return an ELF file with unwind entries that seem to be outermost and never end."""
    count = 64
    frames = struct.pack("<IIiI", size_bytes - 4, 0, 0, 1 << 20) + b"\0" * 16
    frames += b"\x07\x10\0" * ((size_bytes - len(frames)) // 3)
    table = b"\x01\x1b\x03\x3b" + struct.pack("<iI", 0, count)
    table += struct.pack("<ii", 0x1000, 0xF000) * count
    return elf_file(
        Section(b".eh_frame", SHT_PROGBITS, frames, SHF_ALLOC, 0x10000),
        Section(b".eh_frame_hdr", SHT_PROGBITS, table, SHF_ALLOC, 0x1000),
    )


def jit_map(size_bytes: int, kind: str) -> Iterator[bytes]:
    """Yield the blocks of a map of a JIT compiler: nested ranges, or lines as short as possible."""
    written = number = 0
    while written < size_bytes:
        if kind == "nested":
            lines = b"".join(
                b"%x %x f\n" % (0x1000 + row, 0x7F0000000000 - 2 * row)
                for row in range(number, number + 10_000)
            )
        else:
            lines = b"1 1 f\n" * 10_000
        number += 10_000
        written += len(lines)
        yield lines
