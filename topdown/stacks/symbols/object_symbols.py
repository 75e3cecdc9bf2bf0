"""The symbols of a mapped object: a file, the vdso, or JIT-compiled code."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from stallscope.printable import printable
from stallscope.regular_file import RegularFile
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile
from topdown.stacks.elf.symbols import symbol_table
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.symbols.binaries import find_binary
from topdown.stacks.symbols.jit_maps import may_hold_jit_code, read_jit_map
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbol_cache import LOADS, ObjectSymbols, load_symbols, store_symbols
from topdown.stacks.symbols.system_images import VDSO, vdso_image

if TYPE_CHECKING:
    from stallscope._native import Object


def read_object(mapped: "Object", sources: SymbolSources) -> ObjectSymbols:
    """Return the symbols of an object; if it has none, no table and a warning."""
    if may_hold_jit_code(mapped):
        return _jit_symbols(mapped, sources)
    try:
        if mapped.path == VDSO:
            image = vdso_image(mapped, sources)
            if image is not None:
                return _elf_symbols(ElfFile(image), None)
        if not mapped.path.startswith(b"/"):
            return ObjectSymbols(None, None)
        return _file_symbols(mapped, sources)
    except ElfError as error:
        message = f"{printable(error.message)}: no symbols from it"
        return ObjectSymbols(None, None, ProfileWarning("binary-unreadable", message))


def _file_symbols(mapped: "Object", sources: SymbolSources) -> ObjectSymbols:
    cached = load_symbols(mapped.build_id, sources)
    if cached is not None:
        return cached
    with ExitStack() as files:
        binary = find_binary(mapped, sources, files)
        if isinstance(binary, ProfileWarning):
            return ObjectSymbols(None, None, binary)
        symbols = _elf_symbols(binary.main, binary.debug)
        is_full = binary.debug is not None or binary.main.section(b".symtab") is not None
        trusted = _owner(binary.main) in (0, os.geteuid())
    if trusted:  # another user's file could store its names under a foreign build id
        store_symbols(mapped.build_id, symbols, sources, is_full=is_full)
    return symbols


def _owner(file: ElfFile) -> int:
    return file.source.status.st_uid if isinstance(file.source, RegularFile) else -1


def _elf_symbols(main: ElfFile, debug: ElfFile | None) -> ObjectSymbols:
    segments = main.segments[main.segments["type"] == PT_LOAD]
    loads = np.zeros(len(segments), LOADS)
    for name in LOADS.names or ():
        loads[name] = segments[name]
    return ObjectSymbols(symbol_table(main, debug), loads)


def _jit_symbols(mapped: "Object", sources: SymbolSources) -> ObjectSymbols:
    """Return the symbols of JIT-compiled code; their addresses are absolute, as are the frames'."""
    table, warning = read_jit_map(mapped, sources)
    return ObjectSymbols(table, None, warning)
