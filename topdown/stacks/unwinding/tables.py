"""The tables by which copied stacks are unwound, found, made or read back when asked for."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from stallscope._native import UnwindTable, UnwindTableError
from stallscope.printable import printable
from stallscope.regular_file import RegularFile
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbols.binaries import Binary, find_binary
from topdown.stacks.symbols.build_id_cache import EntryCache
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.system_images import VDSO, vdso_image

if TYPE_CHECKING:
    from stallscope._native import Object

_MAGIC = b"SUNW\x01\0\0\0"
_ENTRY_LIMIT = 64 << 20
_ALL_LIMIT = 512 << 20
# A crafted capture may name all binaries of this system, or as many that are none.
_OBJECTS_AT_MOST = 16_384
_ROWS_AT_MOST = 64 << 20  # half a GiB of tables
_WARNINGS_AT_MOST = 20
_WHY = {
    "binary-missing": "its file is not there, or not permitted to this user",
    "binary-changed": "its file changed since it was mapped",
}


class UnwindTables:
    """Gives the capture reader the table of an object, once for each binary.

    ``warnings`` says, after the capture was read, of which objects there is none, as chains may
    end in them.
    """

    def __init__(self, sources: SymbolSources) -> None:
        """Take the places where binaries are looked for."""
        self._sources = sources
        place = sources.cache_directory
        directory = None if place is None else place.with_name("unwind")
        self._cache = EntryCache(directory, _MAGIC, _ENTRY_LIMIT, _ALL_LIMIT)
        self._by_build_id: dict[bytes, UnwindTable] = {}
        self._asked = 0
        self._rows = 0
        self._warnings: dict[ProfileWarning, None] = {}
        self._unnamed = 0

    @property
    def warnings(self) -> tuple[ProfileWarning, ...]:
        """Return what could not be had so far, each once; of many the first."""
        if not self._unnamed:
            return tuple(self._warnings)
        message = f"Stacks may end in {self._unnamed} more files that could not be read."
        return (*self._warnings, ProfileWarning("more-warnings", message))

    def __call__(self, mapped: "Object") -> UnwindTable | None:
        """Return the table of an object, None where it has none; ``warnings`` then says why."""
        known = self._by_build_id.get(mapped.build_id)
        if known is not None:
            return known
        if self._asked >= _OBJECTS_AT_MOST or self._rows >= _ROWS_AT_MOST:
            self._warn(mapped, "stacks run into more binaries than are read")
            return None
        self._asked += 1
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
            self._warn(mapped, "neither the recording nor this system has its image")
            return None
        return UnwindTable.from_image(image.read(0, image.size))

    def _of_file(self, mapped: "Object") -> UnwindTable | None:
        if not mapped.path.startswith(b"/"):
            return None
        cached = self._load(mapped.build_id)
        if cached is not None:
            return cached
        with ExitStack() as files:
            binary = find_binary(mapped, self._sources, files)
            if isinstance(binary, ProfileWarning):
                self._warn(mapped, _WHY.get(binary.code, "its file cannot be read"))
                return None
            table = _compile(binary)
            trusted = _regular(binary.main).status.st_uid in (0, os.geteuid())
        # A stranger's file could leave its rows under another's build id; and a table without rows
        # may get some from a debug file that is installed later.
        if trusted and table.rows:
            self._cache.store(mapped.build_id, [table.to_bytes()])
        return table

    def _load(self, build_id: bytes) -> UnwindTable | None:
        content = self._cache.load(build_id)
        if content is None:
            return None
        try:
            return UnwindTable.from_bytes(bytes(content))
        except UnwindTableError:  # of another version: made anew
            return None

    def _warn(self, mapped: "Object", why: str) -> None:
        message = f"{printable(mapped.path)}: stacks may end in it: {printable(why)}"
        warning = ProfileWarning("no-unwind-table", message)
        if warning in self._warnings or len(self._warnings) < _WARNINGS_AT_MOST:
            self._warnings[warning] = None
        else:
            self._unnamed += 1


def _compile(binary: Binary) -> UnwindTable:
    debug = -1 if binary.debug is None else _regular(binary.debug).descriptor
    return UnwindTable.compile(_regular(binary.main).descriptor, debug)


def _regular(file: ElfFile) -> RegularFile:
    if not isinstance(file.source, RegularFile):
        raise UnwindTableError("it stands in no file")
    return file.source
