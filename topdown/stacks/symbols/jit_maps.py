"""Symbol maps of JIT compilers: /tmp/perf-PID.map, written by the target and not trusted.

The file is opened below the process's root directory, under the PID of its namespace. It must be a
regular file that belongs to the process's user or to root; only root's links are followed.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.printable import printable
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.jit_dumps import dump_lines, open_jit_dump
from topdown.stacks.symbols.jit_files import MAP_LIMIT, MAX_LINES, open_jit_map
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.text_tables import JitSymbols, jit_symbols

if TYPE_CHECKING:
    from stallscope._native import Object

_BLOCK = 1 << 20
_MEMORY = (
    b"//anon",
    b"/anon_",
    b"[anon",
    b"[heap]",
    b"[stack",
    b"/memfd:",
    b"/dev/zero",
    b"/SYSV",
    b"anon_",
)


def may_hold_jit_code(mapped: "Object") -> bool:
    """Return whether an object is memory to which a JIT compiler may have written code."""
    return not mapped.kernel and mapped.path.startswith(_MEMORY)


def read_jit_map(
    pid: int, addresses: npt.NDArray[np.uint64], sources: SymbolSources
) -> tuple[JitSymbols | None, ProfileWarning | None]:
    """Return a process's JIT symbols at these addresses, which are unique and ascending.

    They are from the recording or the live process, there from its map or its dump. There is a
    warning if the map is refused or too large; a missing map is neither.
    """
    try:
        with _recorded_map(pid, sources) or _live_map(pid, sources) as file:
            symbols = jit_symbols(_blocks(file), addresses, MAX_LINES)
            return symbols, _cut_warning(file, symbols)
    except MissingFileError:
        return _read_jit_dump(pid, addresses, sources)
    except RefusedFileError as error:
        return None, _refusal(error)


def _read_jit_dump(
    pid: int, addresses: npt.NDArray[np.uint64], sources: SymbolSources
) -> tuple[JitSymbols | None, ProfileWarning | None]:
    try:
        if not sources.same_boot():
            return None, None
        with open_jit_dump(pid, sources.proc) as file:
            symbols = jit_symbols(dump_lines(file), addresses, MAX_LINES)
            return symbols, _cut_warning(file, symbols) if symbols.cut else None
    except MissingFileError:
        return None, None
    except RefusedFileError as error:
        return None, _refusal(error)


def _refusal(error: RefusedFileError) -> ProfileWarning:
    return ProfileWarning(
        "jit-map-refused",
        f"{printable(error.message)}: its JIT-compiled functions have no names",
    )


def _recorded_map(pid: int, sources: SymbolSources) -> RegularFile | None:
    if sources.recording is None:
        return None
    try:
        return open_in_root(sources.recording, b"jit/%d.map" % pid)
    except MissingFileError:
        return None


def _live_map(pid: int, sources: SymbolSources) -> RegularFile:
    if not sources.same_boot():
        raise MissingFileError(f"process {pid}: recorded before the last boot")
    return open_jit_map(pid, sources.proc)


def _blocks(file: RegularFile) -> Iterator[bytes]:
    """Yield the start of the map in blocks of whole lines; a line without an end is skipped."""
    rest = b""
    size = min(file.size, MAP_LIMIT)
    for offset in range(0, size, _BLOCK):
        content = rest + file.read(offset, min(_BLOCK, size - offset))
        end = content.rfind(b"\n") + 1
        yield content[:end]
        rest = content[end:][-_BLOCK:]


def _cut_warning(file: RegularFile, symbols: JitSymbols) -> ProfileWarning | None:
    if symbols.cut:
        limit = f"{MAX_LINES:,} lines"
    elif file.size > MAP_LIMIT:
        limit = f"{MAP_LIMIT >> 20} MiB"
    else:
        return None
    return ProfileWarning(
        "jit-map-cut", f"{printable(file.name)}: only the first {limit} were read"
    )
