"""The binary behind a mapped object, found again: where it is kept, mapped, or still stands."""

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from stallscope.printable import printable
from stallscope.regular_file import RefusedFileError, RegularFile, open_in_root, open_regular
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Object

_DELETED = b" (deleted)"
_CRC_BLOCK = 1 << 20
_DEBUG_FILE_LIMIT = 4 << 30


@dataclass(frozen=True, slots=True)
class Binary:
    """A file that is the one that was mapped, and its separate debug file where there is one."""

    main: ElfFile
    debug: ElfFile | None
    path: str


def kept_name(kept: "Object") -> str | None:
    """Return the file name of an object's copy in a recording, None where nothing tells it."""
    if kept.build_id:
        return kept.build_id.hex()
    if kept.inode:
        return f"inode-{kept.major}-{kept.minor}-{kept.inode}"
    return None


def file_path(mapped: "Object") -> bytes | None:
    """Return the path of an object that is a file, without the kernel's mark of a deleted one."""
    path = mapped.path.removesuffix(_DELETED)
    if not path.startswith(b"/") or path.startswith((b"//", b"/dev/zero", b"/SYSV")):
        return None
    return path


def find_binary(
    mapped: "Object", sources: SymbolSources, files: ExitStack
) -> Binary | ProfileWarning:
    """Return the mapped file, or a warning that says why it cannot be had.

    A file counts as the mapped one by its build id; without one, by its device and inode, if it
    has not changed since the recording. The files stay open until ``files`` is closed.
    """
    name = printable(mapped.path)
    changed = refused = False
    reason = ""
    for is_copy, open_file in _places(mapped, sources):
        try:
            file = open_file()
        except RefusedFileError as error:
            refused = refused or bool(error.remedy)
            continue
        files.callback(file.close)
        try:
            main = ElfFile(file)
            if not _is_mapped_file(mapped, main, file, sources.recorded_ns, is_copy=is_copy):
                changed = True
                continue
            return Binary(main, find_debug_file(mapped, main, sources, files), name)
        except ElfError as error:
            reason = error.message
    if reason:
        return ProfileWarning("binary-unreadable", f"{printable(reason)}: no symbols from it")
    if changed:
        return ProfileWarning(
            "binary-changed", f"{name}: file changed since it was mapped, so no symbols from it"
        )
    why = "not permitted to this user (run as root)" if refused else "the file is not there"
    return ProfileWarning("binary-missing", f"{name}: no symbols, {why}")


def _places(
    mapped: "Object", sources: SymbolSources
) -> Iterator[tuple[bool, Callable[[], RegularFile]]]:
    """Yield (whether it is a copy, how to open it), in the order in which they are trusted."""
    name, path = kept_name(mapped), file_path(mapped)
    if sources.recording is not None and name is not None:
        yield True, partial(open_in_root, sources.recording / "binaries", os.fsencode(name))
    if mapped.pid > 0 and sources.same_boot():
        process = sources.proc / str(mapped.pid)
        span = f"{mapped.start:x}-{mapped.start + mapped.length:x}"
        yield False, partial(open_regular, process / "map_files" / span)
        if path is not None:
            yield False, partial(open_in_root, process / "root", path)
    if path is not None and (mapped.build_id or not mapped.path.endswith(_DELETED)):
        yield False, partial(open_regular, path)


def _is_mapped_file(
    mapped: "Object",
    main: ElfFile,
    file: RegularFile,
    recorded_ns: int | None,
    *,
    is_copy: bool,
) -> bool:
    if mapped.build_id:
        return main.build_id == mapped.build_id
    if is_copy:
        return True
    if recorded_ns is not None and file.status.st_ctime_ns > recorded_ns:
        return False
    if not mapped.inode:
        return True
    device = file.status.st_dev
    found = (os.major(device), os.minor(device), file.status.st_ino)
    return found == (mapped.major, mapped.minor, mapped.inode)


def find_debug_file(
    mapped: "Object", main: ElfFile, sources: SymbolSources, files: ExitStack
) -> ElfFile | None:
    """Return the separate debug file, None where there is none that belongs to ``main``.

    By build id, else by debug link with its CRC checked; below the process's root, then here.
    """
    if main.section(b".symtab") is not None and main.section(b".debug_info") is not None:
        return None
    roots = [b"/"]
    if mapped.pid > 0 and sources.same_boot():
        roots.insert(0, os.fsencode(sources.proc / str(mapped.pid) / "root"))
    for root in roots:
        for path, crc in _debug_paths(mapped, main, sources):
            try:
                file = open_in_root(root, path)
            except RefusedFileError:
                continue
            files.callback(file.close)
            try:
                debug = ElfFile(file)
                belongs = debug.build_id == main.build_id if crc is None else _crc(file) == crc
            except (ElfError, RefusedFileError):
                continue
            if belongs:
                return debug
    return None


def _debug_paths(
    mapped: "Object", main: ElfFile, sources: SymbolSources
) -> Iterator[tuple[bytes, int | None]]:
    """Yield (path, CRC or None where the build id proves it) of possible debug files."""
    build_id = main.build_id.hex().encode()
    if len(build_id) > 2:
        for directory in sources.debug_directories:
            yield directory + b"/.build-id/" + build_id[:2] + b"/" + build_id[2:] + b".debug", None
    path = file_path(mapped)
    link = main.debug_link
    if link is None or path is None:
        return
    name, crc = link
    beside = os.path.dirname(path)  # noqa: PTH120 - bytes, as the kernel gave them
    yield beside + b"/" + name, crc
    yield beside + b"/.debug/" + name, crc
    for directory in sources.debug_directories:
        yield directory + beside + b"/" + name, crc


def _crc(file: RegularFile) -> int:
    if file.size > _DEBUG_FILE_LIMIT:
        raise RefusedFileError(f"{file.name}: {file.size} bytes")
    crc = 0
    for offset in range(0, file.size, _CRC_BLOCK):
        crc = zlib.crc32(file.read(offset, min(_CRC_BLOCK, file.size - offset)), crc)
    return crc
