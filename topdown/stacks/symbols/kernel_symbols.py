"""The kernel's symbols, from the recording's list or the live one."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from stallscope.regular_file import RefusedFileError, open_in_root
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbol_table import SymbolTable, empty_table
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.text_tables import kernel_table

if TYPE_CHECKING:
    from stallscope._native import Object

_KALLSYMS_LIMIT = 64 << 20
_KALLSYMS_LINES = 1 << 20  # kernels have 100,000 to 300,000
_HIDDEN = ProfileWarning(
    "kernel-symbols-hidden",
    "The kernel hides its addresses from this user, so kernel functions have no names: record as "
    "root, or set `kernel.kptr_restrict=0` and `kernel.perf_event_paranoid=1` with sysctl.",
)
_MISSING = ProfileWarning(
    "kernel-symbols-missing",
    "The recording has no kernel symbols, and this system was rebooted since or is another one: "
    "kernel functions have no names.",
)

_TOO_LONG = ProfileWarning(
    "kernel-symbols-missing",
    f"The list of kernel symbols has more than {_KALLSYMS_LINES:,} lines: kernel functions have no "
    "names.",
)


class KernelSymbols(Struct, frozen=True):
    """The kernel's symbols; ``hidden`` if all addresses are zero."""

    table: SymbolTable
    hidden: bool
    warning: ProfileWarning | None


def read_kernel_symbols(kernel: "Object | None", sources: SymbolSources) -> KernelSymbols:
    """Return the symbols of the recorded kernel, from the recording's or the live kallsyms."""
    text = _recorded_kallsyms(sources)
    live = text is None
    if text is None:
        text = _read_whole(sources.proc / "kallsyms")
    if text.count(b"\n") > _KALLSYMS_LINES:
        return KernelSymbols(empty_table(), False, _TOO_LONG)
    table, hidden = kernel_table(text)
    if hidden:
        return KernelSymbols(table, True, _HIDDEN)
    if not len(table) or (live and not (sources.same_boot() or _same_kernel(kernel, table))):
        return KernelSymbols(empty_table(), False, _MISSING)
    return KernelSymbols(table, False, None)


def _recorded_kallsyms(sources: SymbolSources) -> bytes | None:
    if sources.recording is None:
        return None
    try:
        with open_in_root(sources.recording, b"kallsyms") as file:
            return file.read(0, min(file.size, _KALLSYMS_LIMIT))
    except RefusedFileError:
        return None


def _read_whole(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_KALLSYMS_LIMIT)
    except OSError:
        return b""


def _same_kernel(kernel: "Object | None", table: SymbolTable) -> bool:
    """Return whether the captured kernel is the live kernel of the same boot.

    The kernel's address is random at every boot, so build id and start address identify a boot.
    """
    if kernel is None or not kernel.build_id or not kernel.start:
        return False
    notes = _read_whole(Path("/sys/kernel/notes"))
    if kernel.build_id not in notes:
        return False
    group = int(table.look_up(np.array([kernel.start], np.uint64))[0])
    return group >= 0 and int(table.start[group]) == kernel.start
