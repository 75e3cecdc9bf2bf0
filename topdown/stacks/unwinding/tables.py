"""Unwind tables of binaries for copied stacks: loaded from the cache or compiled on demand."""

import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from stallscope._native import UnwindTable, UnwindTableError
from stallscope.printable import printable
from stallscope.regular_file import RegularFile
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.vdso import VDSO, vdso_image

if TYPE_CHECKING:
    from stallscope._native import Object
    from topdown.stacks.symbols.limited_reader import LimitedReader, ReaderOutput

_MAGIC = b"SUNW\x02\0\0\0"
_ENTRY_LIMIT = 64 << 20
_ALL_LIMIT = 512 << 20
_OUTPUT_LIMIT = 256 << 20
# A crafted capture may name every file of this system.
_MAX_OBJECTS = 16_384
_MAX_ROWS = 64 << 20  # half a GiB of tables
_MAX_WARNINGS = 20
_REASONS = {
    "binary-missing": "the file is missing or not readable by this user",
    "binary-changed": "the file changed since it was mapped",
}


class UnwindTables:
    """Provides the capture reader with the table of an object; each binary is read once.

    After the capture is read, ``warnings`` lists the objects without a table, in which chains may
    end.
    """

    def __init__(self, sources: SymbolSources) -> None:
        """Set where binaries are searched."""
        self._sources = sources
        self._reader: LimitedReader | None = None
        self._cache = unwind_cache(sources)
        self._by_build_id: dict[bytes, UnwindTable] = {}
        self._opened = 0
        self._rows = 0
        self._warnings: dict[ProfileWarning, None] = {}
        self._unlisted = 0

    @property
    def warnings(self) -> tuple[ProfileWarning, ...]:
        """Return the warnings so far, without repetition and limited in number."""
        if not self._unlisted:
            return tuple(self._warnings)
        message = f"Stacks may end in {self._unlisted} more files that could not be read."
        return (*self._warnings, ProfileWarning("more-warnings", message))

    def __call__(self, mapped: "Object") -> UnwindTable | None:
        """Return the table of an object; if it has none, None and an entry in ``warnings``."""
        cached = self._by_build_id.get(mapped.build_id)
        if cached is not None:
            return cached
        if self._opened >= _MAX_OBJECTS or self._rows >= _MAX_ROWS:
            self._warn(mapped, f"more than {_MAX_OBJECTS} binaries")
            return None
        self._opened += 1
        try:
            table = self._vdso(mapped) if mapped.path == VDSO else self._of_file(mapped)
        except (UnwindTableError, OSError) as error:
            self._warn(mapped, str(error))
            return None
        if table is not None:
            self._rows += table.rows
            if mapped.build_id:
                self._by_build_id[mapped.build_id] = table
        return table

    def _vdso(self, mapped: "Object") -> UnwindTable | None:
        image = vdso_image(mapped, self._sources)
        if image is None:
            self._warn(mapped, "its image is neither in the recording nor on this system")
            return None
        return UnwindTable.from_image(image.read(0, image.size))

    def _of_file(self, mapped: "Object") -> UnwindTable | None:
        if not mapped.path.startswith(b"/"):
            return None
        cached = self._load(mapped.build_id)
        if cached is not None and cached[1]:
            return cached[0]
        outdated = None if cached is None else cached[0]
        from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415 - if not cached

        output = self._output(mapped)
        if output.failure:
            raise UnwindTableError(output.failure)
        result = FileResult.decode(output.content)
        if result.warning is not None:
            if outdated is not None:  # its file was replaced after the recording
                return outdated
            self._warn(mapped, _REASONS.get(result.warning.code, "the file cannot be read"))
            return None
        table = UnwindTable.from_bytes(bytes(result.content))
        # A table without rows may get rows from a debug file that is installed later.
        if result.identities is not None and table.rows:
            self._cache.store(mapped.build_id, result.identities, [result.content])
        return table

    def _output(self, mapped: "Object") -> "ReaderOutput":
        """Return the output of the limited process for an object."""
        if self._reader is None:
            from topdown.stacks.symbols.limited_reader import (  # noqa: PLC0415 - if not cached
                LimitedReader,
            )

            sources = self._sources
            limits = replace(sources.limits, output_bytes=_OUTPUT_LIMIT)
            self._reader = LimitedReader(partial(_read_table, sources), limits, sources.budget)
        return self._reader.output(pickle.dumps(_mapped_file(mapped)))

    def _load(self, build_id: bytes) -> tuple[UnwindTable, bool] | None:
        """Return the table of an entry and whether it is up to date, None if there is none."""
        entry = self._cache.load(build_id)
        if entry is None:
            return None
        try:
            return UnwindTable.from_bytes(bytes(entry.content)), entry.is_current()
        except UnwindTableError:  # another version: compile it again
            return None

    def _warn(self, mapped: "Object", reason: str) -> None:
        message = f"{printable(mapped.path)}: stacks may end in it: {printable(reason)}"
        warning = ProfileWarning("no-unwind-table", message)
        if warning in self._warnings or len(self._warnings) < _MAX_WARNINGS:
            self._warnings[warning] = None
        else:
            self._unlisted += 1


class _MappedFile(Struct, frozen=True):
    """The fields of a mapped object that identify its file."""

    path: bytes
    build_id: bytes
    kernel: bool
    pid: int
    start: int
    length: int
    page_offset: int
    major: int
    minor: int
    inode: int


def _mapped_file(mapped: "Object") -> _MappedFile:
    return _MappedFile(*(getattr(mapped, name) for name in _MappedFile.__struct_fields__))


def _read_table(sources: SymbolSources, request: bytes) -> Iterator[bytes]:
    """Yield the table of an object's file; runs in the limited process."""
    from topdown.stacks.symbols.binaries import find_binary  # noqa: PLC0415 - if not cached
    from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415

    mapped = pickle.loads(request)  # noqa: S301 - from the parent
    with ExitStack() as files:
        binary = find_binary(mapped, sources, files)
        if isinstance(binary, ProfileWarning):
            yield FileResult(binary).header()
            return
        debug = -1 if binary.debug is None else _regular(binary.debug).descriptor
        table = UnwindTable.compile(_regular(binary.main).descriptor, debug)
        yield FileResult(None, binary.identities).header()
        yield table.to_bytes()


def _regular(file: ElfFile) -> RegularFile:
    if not isinstance(file.source, RegularFile):
        raise ElfError("it is not a file")
    return file.source


def unwind_cache(sources: SymbolSources) -> BuildIdCache:
    """Return the cache of unwind tables, beside that of symbols."""
    place = sources.cache_directory
    directory = None if place is None else place.with_name("unwind")
    return BuildIdCache(directory, _MAGIC, _ENTRY_LIMIT, _ALL_LIMIT)
