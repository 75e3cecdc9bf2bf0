"""Untrusted ELF files: headers, sections and notes, with every number checked against the file.

The header tables are numpy views: a view costs 0.1 ms, the section objects of pyelftools 4 ms per
file and 30 ms for their import. No size is trusted: reads are bounded by the file, by a limit per
section, and by the number of table entries.
"""

import struct
import zlib
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from stallscope.errors import StallscopeError
from stallscope.regular_file import ByteSource, MemoryImage, RefusedFileError

SHT_SYMTAB = 2
SHT_NOTE = 7
SHT_NOBITS = 8
SHT_DYNSYM = 11
SHF_ALLOC = 0x2
SHF_EXECINSTR = 0x4
SHF_COMPRESSED = 0x800
PT_LOAD = 1
PT_NOTE = 4
PF_X = 1
EM_386, EM_ARM, EM_X86_64, EM_AARCH64 = 3, 40, 62, 183

_SECTION_LIMIT = 512 << 20  # a section larger than this is refused
_INFLATED_LIMIT = 64 << 20  # of all compressed sections of a file together
_TABLE_LIMIT = 1 << 18  # sections or segments of one file
_NOTE_LIMIT = 1 << 20
_NOTES_LIMIT = 4096  # of one file
_NT_GNU_BUILD_ID = 3
_COMPRESSIONS = {1: "zlib", 2: "zstd"}
_COMPRESSION_HEADER_LIMIT = 24
_WIDTHS, _ORDERS = (b"\x01", b"\x02"), (b"\x01", b"\x02")


class ElfError(StallscopeError):
    """A file is not an ELF file, or its headers contradict the file."""


class ElfHeader(Struct, frozen=True):
    """The fields of the file header that are used here."""

    is_64: bool
    order: str  # "<" or ">", as numpy and struct write it
    machine: int
    entry: int


class StoredSection(Struct, frozen=True):
    """Where a section is stored in a file.

    ``compression``: "", "zlib" or "zstd". ``offset`` and ``stored_bytes`` are without the header of
    a compressed section; ``size_bytes``: after decompression.
    """

    offset: int
    stored_bytes: int
    size_bytes: int
    compression: str = ""


class ElfFile:
    """An ELF file: headers read at once, sections on demand.

    ``segments``: structured (n,) with type, flags, offset, address, file_size.
    ``sections``: structured (n,) with name, type, flags, address, offset, size, link, entry_size.
    Every method raises ElfError if the file contradicts itself.
    """

    def __init__(self, source: ByteSource) -> None:
        """Read the headers; raises ElfError if they contradict the file."""
        self.source = source
        self._inflated_bytes = 0
        try:
            self._read_headers()
        except RefusedFileError as error:
            raise ElfError(error.message) from error

    def _read_headers(self) -> None:
        parsed = _parse_header(self.source)
        self.header = parsed.header
        self.sections = self._section_table(*parsed.sections)
        self.segments = self._segment_table(*parsed.segments)
        self._names_index = parsed.names_index
        if self._names_index == 0xFFFF and len(self.sections):
            self._names_index = int(self.sections["link"][0])

    def _section_table(self, offset: int, count: int, entry: int) -> npt.NDArray[np.void]:
        layout = _section_layout(self.header)
        if offset == 0:
            return np.zeros(0, layout)
        if count == 0:
            first = self._table(layout, offset, 1, entry)
            count = int(first["size"][0])
        return self._table(layout, offset, count, entry)

    def _segment_table(self, offset: int, count: int, entry: int) -> npt.NDArray[np.void]:
        if count == 0xFFFF and len(self.sections):
            count = int(self.sections["info"][0])
        if offset == 0:
            count = 0
        return self._table(_segment_layout(self.header), offset, count, entry)

    def _table(
        self, layout: np.dtype[np.void], offset: int, count: int, entry: int
    ) -> npt.NDArray[np.void]:
        if count == 0:
            return np.zeros(0, layout)
        if count > _TABLE_LIMIT or entry != layout.itemsize:
            raise ElfError(f"{self.source.name}: header table of {count} entries of {entry} bytes")
        return np.frombuffer(self.source.read(offset, count * entry), layout)

    @cached_property
    def section_names(self) -> tuple[bytes, ...]:
        """Return the name of each section, empty if the file has none for it."""
        if not 0 < self._names_index < len(self.sections):
            return (b"",) * len(self.sections)
        names = self.section_content(self._names_index)
        section_names = []
        for offset in self.sections["name"].tolist():
            end = names.find(b"\0", offset, offset + 256)
            section_names.append(names[offset:end] if end >= 0 else b"")
        return tuple(section_names)

    def section(self, name: bytes) -> int | None:
        """Return the index of the first section of that name with content, None if none."""
        for index, section_name in enumerate(self.section_names):
            if section_name == name and self.sections["type"][index] != SHT_NOBITS:
                return index
        return None

    def section_content(self, index: int, limit: int = _SECTION_LIMIT) -> bytes:
        """Return a section's bytes, decompressed; ElfError if larger than ``limit`` or the file.

        A compressed section that is loaded into memory is refused: the ABI forbids it.
        """
        if not 0 <= index < len(self.sections):
            raise ElfError(f"{self.source.name}: no section {index}")
        row = self.sections[index]
        size = int(row["size"])
        if row["type"] == SHT_NOBITS:
            return b""
        if size > limit:
            raise ElfError(f"{self.source.name}: section {index} of {size} bytes")
        try:
            content = self.source.read(int(row["offset"]), size)
        except RefusedFileError as error:
            raise ElfError(error.message) from error
        if int(row["flags"]) & SHF_COMPRESSED:
            if int(row["flags"]) & SHF_ALLOC:
                raise ElfError(f"{self.source.name}: section {index} is loaded and compressed")
            return self._decompress(content, limit)
        return content

    def stored_section(self, name: bytes) -> StoredSection | None:
        """Return where the first section of that name with content is stored, None if none."""
        index = self.section(name)
        if index is None:
            return None
        row = self.sections[index]
        offset, size = int(row["offset"]), int(row["size"])
        if offset + size > self.source.size:
            raise ElfError(f"{self.source.name}: section {index} exceeds the file")
        if not int(row["flags"]) & SHF_COMPRESSED:
            return StoredSection(offset, size, size)
        try:
            head = self.source.read(offset, min(size, _COMPRESSION_HEADER_LIMIT))
        except RefusedFileError as error:
            raise ElfError(error.message) from error
        start, kind, full = self._compression_header(head)
        if kind not in _COMPRESSIONS:
            raise ElfError(f"{self.source.name}: compressed section, type {kind}")
        return StoredSection(offset + start, size - start, full, _COMPRESSIONS[kind])

    def _compression_header(self, content: bytes) -> tuple[int, int, int]:
        """Return the size of the header, the kind of compression, and the size after it."""
        layout = self.header.order + ("IIQQ" if self.header.is_64 else "III")
        start = struct.calcsize(layout)
        if len(content) < start:
            raise ElfError(f"{self.source.name}: compressed section without a header")
        fields = struct.unpack_from(layout, content)
        return start, fields[0], fields[2] if self.header.is_64 else fields[1]

    def _decompress(self, content: bytes, limit: int) -> bytes:
        start, kind, size = self._compression_header(content)
        if kind != 1 or size > limit:
            raise ElfError(f"{self.source.name}: compressed section, type {kind}, {size} bytes")
        self._count_inflated(size)
        try:
            return zlib.decompressobj().decompress(content[start:], size or 1)
        except zlib.error as error:
            raise ElfError(f"{self.source.name}: compressed section: {error}") from error

    def _count_inflated(self, size_bytes: int) -> None:
        """Add to the file's decompressed bytes; ElfError if there are too many."""
        self._inflated_bytes += size_bytes
        if self._inflated_bytes > _INFLATED_LIMIT:
            raise ElfError(
                f"{self.source.name}: more than {_INFLATED_LIMIT >> 20} MiB in compressed sections"
            )

    @cached_property
    def build_id(self) -> bytes:
        """Return the GNU build id, empty if the file has none."""
        segments = self.segments[self.segments["type"] == PT_NOTE]
        sections = self.sections[self.sections["type"] == SHT_NOTE]
        places = list(zip(sections["offset"].tolist(), sections["size"].tolist(), strict=True))
        places += list(
            zip(segments["offset"].tolist(), segments["file_size"].tolist(), strict=True)
        )
        for offset, size in places[:64]:
            try:
                build_id = self._find_build_id(self.source.read(offset, min(size, _NOTE_LIMIT)))
            except RefusedFileError:
                continue  # stripped debug files keep note segments that point past their end
            if build_id:
                return build_id
        return b""

    def _find_build_id(self, notes: bytes) -> bytes:
        offset = 0
        for _ in range(_NOTES_LIMIT):
            if offset + 12 > len(notes):
                break
            name_size, size, kind = struct.unpack_from(self.header.order + "III", notes, offset)
            name_at = offset + 12
            content_at = name_at + (name_size + 3) // 4 * 4
            if kind == _NT_GNU_BUILD_ID and notes[name_at : name_at + 4] == b"GNU\0":
                return notes[content_at : content_at + min(size, 64)]
            offset = content_at + (size + 3) // 4 * 4
        return b""

    @cached_property
    def debug_link(self) -> tuple[bytes, int] | None:
        """Return the separate debug file's name and its CRC-32, None if there is no link."""
        index = self.section(b".gnu_debuglink")
        if index is None:
            return None
        content = self.section_content(index, 1 << 16)
        name, _, _ = content.partition(b"\0")
        if not name or b"/" in name or name == b".." or len(content) < 8:
            return None
        return name, int(struct.unpack(self.header.order + "I", content[-4:])[0])

    @cached_property
    def supplementary_link(self) -> tuple[bytes, bytes] | None:
        """Return path and build id of the file that dwz shares among others, None if none."""
        index = self.section(b".gnu_debugaltlink")
        if index is None:
            return None
        path, null, build_id = self.section_content(index, 1 << 16).partition(b"\0")
        return (path, build_id) if path and null and 2 < len(build_id) <= 64 else None

    def mini_debug_file(self) -> "ElfFile | None":
        """Return the file inside ``.gnu_debugdata`` (symbols packed by xz), None if none."""
        index = self.section(b".gnu_debugdata")
        if index is None:
            return None
        import lzma  # noqa: PLC0415 - rarely needed

        packed = self.section_content(index, _INFLATED_LIMIT)
        unpacker = lzma.LZMADecompressor(memlimit=128 << 20)
        try:
            content = unpacker.decompress(packed, _INFLATED_LIMIT - self._inflated_bytes)
        except lzma.LZMAError as error:
            raise ElfError(f"{self.source.name}: .gnu_debugdata: {error}") from error
        if not unpacker.eof and not unpacker.needs_input:
            self._count_inflated(_INFLATED_LIMIT + 1)
        return ElfFile(MemoryImage(f"{self.source.name} .gnu_debugdata", content))


def addresses_of(
    loads: npt.NDArray[np.void], offsets: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return the virtual address of each file offset, and whether a segment of ``loads`` holds it.

    Executable segments come first: a page at a boundary is often in two segments.
    """
    addresses = np.zeros(len(offsets), np.uint64)
    in_segment = np.zeros(len(offsets), np.bool_)
    executable = (loads["flags"] & PF_X) != 0
    for load in np.concatenate([loads[executable], loads[~executable]])[:256]:
        start, size = np.uint64(load["offset"]), np.uint64(load["file_size"])
        inside = ~in_segment & (offsets >= start) & (offsets - start < size)
        addresses[inside] = offsets[inside] - start + np.uint64(load["address"])
        in_segment |= inside
    return addresses, in_segment


class _FileHeader(Struct, frozen=True):
    """The file header, with the places of the two header tables."""

    header: ElfHeader
    segments: tuple[int, int, int]  # offset, number of entries, size of an entry
    sections: tuple[int, int, int]
    names_index: int


def _parse_header(source: ByteSource) -> _FileHeader:
    head = source.read(0, min(source.size, 64))
    width, order = head[4:5], head[5:6]
    if head[:4] != b"\x7fELF" or width not in _WIDTHS or order not in _ORDERS:
        raise ElfError(f"{source.name}: not an ELF file")
    is_64, byte_order = width == b"\x02", "<" if order == b"\x01" else ">"
    layout = struct.Struct(byte_order + ("HHIQQQIHHHHHH" if is_64 else "HHIIIIIHHHHHH"))
    if len(head) < 16 + layout.size:
        raise ElfError(f"{source.name}: not an ELF file: {len(head)} bytes")
    _, machine, _, entry, segments_at, sections_at, _, _, *counts = layout.unpack_from(head, 16)
    segment_bytes, n_segments, section_bytes, n_sections, names_index = counts
    return _FileHeader(
        ElfHeader(is_64, byte_order, machine, entry),
        (segments_at, n_segments, segment_bytes),
        (sections_at, n_sections, section_bytes),
        names_index,
    )


def _section_layout(header: ElfHeader) -> np.dtype[np.void]:
    word = header.order + ("u8" if header.is_64 else "u4")
    half = header.order + "u4"
    return np.dtype(
        [
            ("name", half),
            ("type", half),
            ("flags", word),
            ("address", word),
            ("offset", word),
            ("size", word),
            ("link", half),
            ("info", half),
            ("alignment", word),
            ("entry_size", word),
        ]
    )


def _segment_layout(header: ElfHeader) -> np.dtype[np.void]:
    word = header.order + ("u8" if header.is_64 else "u4")
    half = header.order + "u4"
    names = ["type", "offset", "address", "load_address", "file_size", "size"]
    fields = [("type", half)] + [(name, word) for name in names[1:]]
    fields.insert(1 if header.is_64 else 6, ("flags", half))
    return np.dtype([*fields, ("alignment", word)])
