"""The symbols of one mapped object, whatever it is: file, vdso or compiled at run time."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.binaries import find_binary
from topdown.stacks.elf_file import PT_LOAD, ElfError, ElfFile, addresses_of
from topdown.stacks.elf_symbols import symbol_table
from topdown.stacks.jit_maps import may_hold_jit_code, read_jit_map
from topdown.stacks.printable import printable
from topdown.stacks.profile import Warning as ProfileWarning
from topdown.stacks.symbol_sources import SymbolSources
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.system_images import vdso_image

if TYPE_CHECKING:
    from stallscope._native import Object

VDSO = b"[vdso]"


@dataclass(frozen=True, slots=True)
class ObjectSymbols:
    """An object's symbols, and how addresses of frames become addresses of symbols.

    ``segments``: the loadable ones, structured as in ElfFile; None where frames have absolute
    addresses. ``table`` None: the object could not be read.
    """

    table: SymbolTable | None
    segments: npt.NDArray[np.void] | None
    warning: ProfileWarning | None = None

    def symbol_addresses(
        self, addresses: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return the addresses in the symbols' terms, and whether each is known."""
        if self.segments is None:
            return addresses, np.ones(len(addresses), np.bool_)
        return addresses_of(self.segments, addresses)


def read_object(mapped: "Object", sources: SymbolSources) -> ObjectSymbols:
    """Return the symbols of an object; without a table, and with a warning, where it has none."""
    if may_hold_jit_code(mapped):
        return _jit_symbols(mapped, sources)
    if mapped.path == VDSO:
        image = vdso_image(mapped, sources)
        return ObjectSymbols(None, None) if image is None else _elf_symbols(ElfFile(image), None)
    if not mapped.path.startswith(b"/"):
        return ObjectSymbols(None, None)
    with ExitStack() as files:
        binary = find_binary(mapped, sources, files)
        if isinstance(binary, ProfileWarning):
            return ObjectSymbols(None, None, binary)
        return _elf_symbols(binary.main, binary.debug)


def _elf_symbols(main: ElfFile, debug: ElfFile | None) -> ObjectSymbols:
    try:
        segments = main.segments[main.segments["type"] == PT_LOAD]
        return ObjectSymbols(symbol_table(main, debug), segments)
    except ElfError as error:
        message = f"{printable(error.message)}: no symbols from it"
        return ObjectSymbols(None, None, ProfileWarning("binary-unreadable", message))


def _jit_symbols(mapped: "Object", sources: SymbolSources) -> ObjectSymbols:
    table, warning = read_jit_map(mapped, sources)
    if table is None or not mapped.path.startswith(b"/"):
        return ObjectSymbols(table, None, warning)
    # Frames in a file of memory are offsets; the compiler wrote where the process sees it.
    place = np.zeros(1, [("flags", "u4"), ("offset", "u8"), ("address", "u8"), ("file_size", "u8")])
    place["offset"], place["address"] = mapped.page_offset, mapped.start
    place["file_size"] = mapped.length
    return ObjectSymbols(table, place, warning)
