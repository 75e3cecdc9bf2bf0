"""The binary of a mapped object: its copy in the recording, its live mapping, or its path."""

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from stallscope.printable import printable
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
    open_regular,
)
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.file_identity import FileIdentity, host_identity, is_trusted
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Object

_DELETED = b" (deleted)"
_CRC_BLOCK = 1 << 20
_DEBUG_FILE_LIMIT = 4 << 30


@dataclass(frozen=True, slots=True)
class Binary:
    """The file that was mapped, and its separate debug file if there is one.

    ``identities``: of both files; None if data derived from them must not be cached, because one
    of them is below another root, a copy in a recording, or the file of another user.
    """

    main: ElfFile
    debug: ElfFile | None
    path: str
    identities: tuple[FileIdentity, ...] | None = None
    roots: tuple[bytes, ...] = (b"/",)


def copy_name(mapped: "Object") -> str | None:
    """Return the file name of an object's copy in a recording, None without build id and inode."""
    if mapped.build_id:
        return mapped.build_id.hex()
    if mapped.inode:
        return f"inode-{mapped.major}-{mapped.minor}-{mapped.inode}"
    return None


def file_path(mapped: "Object") -> bytes | None:
    """Return the path of an object that is a file, without the suffix of deleted files."""
    path = mapped.path.removesuffix(_DELETED)
    if not path.startswith(b"/") or path.startswith((b"//", b"/dev/zero", b"/SYSV")):
        return None
    return path


def find_binary(
    mapped: "Object", sources: SymbolSources, files: ExitStack
) -> Binary | ProfileWarning:
    """Return the mapped file, or a warning with the reason why it is not available.

    A file is identified by its build id; without a build id, by its device and inode if it has
    not changed since the recording. The files stay open until ``files`` is closed.
    """
    name = printable(mapped.path)
    changed = refused = False
    reason = ""
    for is_copy, open_file in _candidates(mapped, sources):
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
            return _binary(mapped, main, sources, files, is_copy=is_copy)
        except ElfError as error:
            reason = error.message
    if reason:
        return ProfileWarning("binary-unreadable", f"{printable(reason)}: no symbols from it")
    if changed:
        return ProfileWarning(
            "binary-changed", f"{name}: file changed since it was mapped, so no symbols from it"
        )
    why = "permission denied (run as root)" if refused else "the file does not exist"
    return ProfileWarning("binary-missing", f"{name}: no symbols, {why}")


def _binary(
    mapped: "Object", main: ElfFile, sources: SymbolSources, files: ExitStack, *, is_copy: bool
) -> Binary:
    """Return the file with its debug file.

    Debug files of a file that is on this system's root are on this root too: a process in another
    mount namespace must not choose the names of a program that others run.
    """
    identity = None
    if not is_copy and isinstance(main.source, RegularFile):
        identity = host_identity(main.source, file_path(mapped))
    roots = [b"/"]
    if identity is None and mapped.pid > 0 and sources.same_boot():
        roots.insert(0, os.fsencode(sources.proc / str(mapped.pid) / "root"))
    debug = find_debug_file(file_path(mapped), main, sources, files, roots)
    identities = _cacheable_identities(main, debug, identity)
    return Binary(main, debug, printable(mapped.path), identities, tuple(roots))


def _cacheable_identities(
    main: ElfFile, debug: ElfFile | None, identity: FileIdentity | None
) -> tuple[FileIdentity, ...] | None:
    """Return the identities of both files if data derived from them may be cached."""
    identities = [identity]
    for file in (main, debug):
        if file is None:
            continue
        if not isinstance(file.source, RegularFile) or not is_trusted(file.source):
            return None
        if file is debug:
            identities.append(host_identity(file.source, os.fsencode(file.source.name)))
    complete = tuple(identity for identity in identities if identity is not None)
    return complete if len(complete) == len(identities) else None


def _candidates(
    mapped: "Object", sources: SymbolSources
) -> Iterator[tuple[bool, Callable[[], RegularFile]]]:
    """Yield (is a copy, function that opens it) of candidates, the most trusted first."""
    name, path = copy_name(mapped), file_path(mapped)
    if path is not None and mapped.build_id:
        yield False, partial(_open_trusted, path)
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


def _open_trusted(path: bytes) -> RegularFile:
    """Return the file at a path of this system's root if root or this user owns it."""
    file = open_regular(path)
    if not is_trusted(file):
        file.close()
        raise MissingFileError(f"{file.name}: belongs to another user")
    return file


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
    identity = (os.major(device), os.minor(device), file.status.st_ino)
    return identity == (mapped.major, mapped.minor, mapped.inode)


def find_debug_file(
    path: bytes | None,
    main: ElfFile,
    sources: SymbolSources,
    files: ExitStack,
    roots: Sequence[bytes],
) -> ElfFile | None:
    """Return the separate debug file of ``main``, None if no root directory has one.

    It is identified by build id, or by debug link with a matching CRC. ``path``: of ``main``.
    """
    if main.section(b".symtab") is not None and main.section(b".debug_info") is not None:
        return None
    for root in roots:
        for debug_path, crc in _debug_paths(path, main, sources):
            try:
                file = open_in_root(root, debug_path)
            except RefusedFileError:
                continue
            files.callback(file.close)
            try:
                debug = ElfFile(file)
                matches = debug.build_id == main.build_id if crc is None else _crc(file) == crc
            except (ElfError, RefusedFileError):
                continue
            if matches:
                return debug
    return None


def _debug_paths(
    path: bytes | None, main: ElfFile, sources: SymbolSources
) -> Iterator[tuple[bytes, int | None]]:
    """Yield (path, CRC or None if the build id identifies it) of possible debug files."""
    build_id = main.build_id.hex().encode()
    if len(build_id) > 2:
        for directory in sources.debug_directories:
            yield directory + b"/.build-id/" + build_id[:2] + b"/" + build_id[2:] + b".debug", None
    link = main.debug_link
    if link is None or path is None:
        return
    name, crc = link
    beside = os.path.dirname(path)  # noqa: PTH120 - bytes, as the kernel reports them
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
