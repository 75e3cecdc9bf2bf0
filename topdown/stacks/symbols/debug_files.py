"""The files with the debug information of a mapped object: its own, and one shared by packages."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stallscope.regular_file import RefusedFileError, RegularFile, open_in_root
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.binaries import find_binary
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Object

_SHARED_FOLDER = b"/.dwz/"


@dataclass(frozen=True, slots=True)
class DebugFiles:
    """The mapped file, the file with its debug information, and the file that this refers to."""

    main: ElfFile
    debug: ElfFile
    descriptor: int  # of ``debug``
    supplementary: ElfFile | None  # .gnu_debugaltlink, written by dwz
    supplementary_descriptor: int = -1


def find_debug_files(
    mapped: "Object", sources: SymbolSources, files: ExitStack
) -> DebugFiles | None:
    """Return the files with the debug information of an object, None without any.

    For the limited process: opening a file can block.
    """
    try:
        binary = find_binary(mapped, sources, files)
    except ElfError:
        return None
    if isinstance(binary, ProfileWarning):
        return None
    return debug_files_of(binary.main, binary.debug, sources, files, binary.roots)


def debug_files_of(
    main: ElfFile,
    debug: ElfFile | None,
    sources: SymbolSources,
    files: ExitStack,
    roots: Sequence[bytes],
) -> DebugFiles | None:
    """Return the files with debug information of a file and of its separate debug file."""
    for file in (debug, main):
        try:
            if file is None or file.section(b".debug_info") is None:
                continue
        except ElfError:
            continue
        if not isinstance(file.source, RegularFile):
            return None
        descriptor = file.source.descriptor
        supplementary = find_supplementary(file, sources, files, roots)
        if supplementary is None:
            return DebugFiles(main, file, descriptor, None)
        shared, source = supplementary
        return DebugFiles(main, file, descriptor, shared, source.descriptor)
    return None


def find_supplementary(
    debug: ElfFile, sources: SymbolSources, files: ExitStack, roots: Sequence[bytes]
) -> tuple[ElfFile, RegularFile] | None:
    """Return the file that a debug file shares with others, None if it has none or it is missing.

    Its build id must be that of the link.
    """
    try:
        link = debug.supplementary_link
    except ElfError:
        return None
    if link is None:
        return None
    for root in roots:
        for path in _supplementary_paths(debug, link, sources, root):
            try:
                file = open_in_root(root, path)
            except RefusedFileError:
                continue
            files.callback(file.close)
            try:
                shared = ElfFile(file)
            except ElfError:
                continue
            if shared.build_id == link[1]:
                return shared, file
    return None


def _supplementary_paths(
    debug: ElfFile, link: tuple[bytes, bytes], sources: SymbolSources, root: bytes
) -> Iterator[bytes]:
    path, build_id = link
    if path.startswith(b"/"):
        yield path
    else:
        beside = os.path.dirname(os.fsencode(debug.source.name).removeprefix(root.rstrip(b"/")))  # noqa: PTH120
        yield beside + b"/" + path
    digits = build_id.hex().encode()
    below = path.rpartition(_SHARED_FOLDER)[2]
    for directory in sources.debug_directories:
        yield directory + b"/.build-id/" + digits[:2] + b"/" + digits[2:] + b".debug"
        yield directory + _SHARED_FOLDER + below
