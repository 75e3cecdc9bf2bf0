"""The symbols of mapped objects: files, the vdso, and JIT-compiled code.

Files are untrusted, so a limited process reads those that are not in the cache.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from stallscope.printable import printable
from stallscope.regular_file import MemoryImage
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.symbols.jit_maps import may_hold_jit_code, read_jit_map
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbol_cache import (
    ENTRY_LIMIT,
    LOADS,
    ObjectSymbols,
    decode_symbols,
    encode_symbols,
    load_symbols,
    symbol_cache,
)
from topdown.stacks.symbols.vdso import VDSO, is_live_vdso, vdso_image

if TYPE_CHECKING:
    from stallscope._native import Object
    from topdown.stacks.symbols.limited_reader import LimitedReader, ReaderOutput

Addresses = npt.NDArray[np.uint64]
_NO_LOADS = np.zeros(0, LOADS)


class AddressSymbols(Struct, frozen=True):
    """The symbols of looked-up addresses, arrays (n_addresses,).

    ``group`` int64: group of ``table``, -1 if an address has no symbol. ``shown`` uint64: the
    address in the file, by which an address without a symbol is named. ``table`` is None if the
    object has no symbols.
    """

    table: SymbolTable | None
    group: npt.NDArray[np.int64]
    shown: Addresses
    warning: ProfileWarning | None = None


def read_object(
    mapped: "Object", sources: SymbolSources, addresses: Addresses | None = None
) -> ObjectSymbols:
    """Return the symbols of a file or the vdso; if it has none, no table and a warning.

    A very large table has only the symbols at ``addresses``, which are frame addresses.
    """
    looked_up = np.zeros(0, np.uint64) if addresses is None else addresses
    symbols = _without_reader(mapped, sources)
    if isinstance(symbols, ObjectSymbols):
        return symbols
    from topdown.stacks.symbols.limited_reader import read_limited  # noqa: PLC0415 - if not cached

    task = partial(_read_file, mapped, sources, looked_up)
    output = read_limited(task, sources.limits, sources.budget)
    return _file_symbols(mapped, sources, output, symbols)


class ObjectReader(Struct):
    """Reads the symbols of several objects; a context manager that ends the limited process.

    ``objects``: each with the addresses to look up.
    """

    objects: Sequence[tuple["Object", Addresses]]
    sources: SymbolSources
    _reader: "LimitedReader | None" = None
    _jit: dict[int, "_JitProcess"] = field(default_factory=dict)  # by PID

    def __enter__(self) -> Self:
        """Prepare the tasks; the process starts when it is needed."""
        by_pid: dict[int, list[Addresses]] = {}
        for mapped, addresses in self.objects:
            if may_hold_jit_code(mapped):
                by_pid.setdefault(mapped.pid, []).append(addresses)
        for pid, lists in by_pid.items():
            self._jit[pid] = _JitProcess(np.unique(np.concatenate(lists)))
        return self

    def _output(self, number: int) -> "ReaderOutput":
        """Return the output of the limited process for an object."""
        if self._reader is None:
            from topdown.stacks.symbols.limited_reader import (  # noqa: PLC0415 - if not cached
                LimitedReader,
            )

            self._reader = LimitedReader(self._read, self.sources.limits, self.sources.budget)
        return self._reader.output(b"%d" % number)

    def _read(self, request: bytes) -> Iterator[bytes]:
        """Yield the symbols of the object with this number; runs in the limited process."""
        mapped, addresses = self.objects[int(request)]
        if may_hold_jit_code(mapped):
            addresses = self._jit[mapped.pid].addresses
            return _read_jit_map(mapped.pid, addresses, self.sources)
        return _read_file(mapped, self.sources, addresses)

    def __exit__(self, *_: object) -> None:
        """End the process."""
        if self._reader is not None:
            self._reader.__exit__(None, None, None)

    def symbols(self, number: int) -> AddressSymbols:
        """Return the symbols of an object's addresses."""
        mapped, addresses = self.objects[number]
        if may_hold_jit_code(mapped):
            return self._jit_symbols(number, self._jit[mapped.pid])
        symbols = _without_reader(mapped, self.sources)
        if not isinstance(symbols, ObjectSymbols):
            symbols = _file_symbols(mapped, self.sources, self._output(number), symbols)
        if symbols.table is None:
            return _nothing(addresses, symbols.warning)
        translated, is_known = symbols.symbol_addresses(addresses)
        group = np.where(is_known, symbols.table.look_up(translated), -1)
        return AddressSymbols(
            symbols.table, group, np.where(is_known, translated, addresses), symbols.warning
        )

    def _jit_symbols(self, number: int, jit: "_JitProcess") -> AddressSymbols:
        """Return the symbols of JIT-compiled code; its addresses are absolute."""
        mapped, addresses = self.objects[number]
        if jit.symbols is None:
            jit.symbols = _jit_table(self._output(number), jit.addresses, mapped.pid)
        symbols, jit.symbols = jit.symbols, jit.symbols.without_warning()
        if symbols.table is None:
            return _nothing(addresses, symbols.warning)
        places = np.searchsorted(jit.addresses, addresses)
        return AddressSymbols(symbols.table, symbols.group[places], addresses, symbols.warning)


class _JitTable(Struct, frozen=True):
    """The functions of a process's JIT-compiled code at its looked-up addresses."""

    table: SymbolTable | None
    group: npt.NDArray[np.int64]
    warning: ProfileWarning | None

    def without_warning(self) -> "_JitTable":
        """Return the same functions; a process's warning is reported once."""
        return _JitTable(self.table, self.group, None)


class _JitProcess(Struct):
    """A process with addresses outside files; its map is read once, at the first of them."""

    addresses: Addresses
    symbols: _JitTable | None = None


def _nothing(addresses: Addresses, warning: ProfileWarning | None) -> AddressSymbols:
    return AddressSymbols(None, np.full(len(addresses), -1, np.int64), addresses, warning)


def _without_reader(
    mapped: "Object", sources: SymbolSources
) -> ObjectSymbols | tuple[ObjectSymbols, bool] | None:
    """Return the symbols of an object that needs no limited process.

    Otherwise return an outdated entry of the cache, or None.
    """
    if mapped.path == VDSO:
        image = vdso_image(mapped, sources)
        if image is not None:
            return _vdso_symbols(image, sources)
    if not mapped.path.startswith(b"/"):
        return ObjectSymbols(None, None)
    cached = load_symbols(mapped.build_id, sources)
    return cached[0] if cached is not None and cached[1] else cached


def _vdso_symbols(image: MemoryImage, sources: SymbolSources) -> ObjectSymbols:
    """Return the symbols of a vdso; those of the running kernel are cached."""
    try:
        file = ElfFile(image)
        cached = load_symbols(file.build_id, sources)
        if cached is not None:
            return cached[0]
        symbols = _elf_symbols(file, None)
    except ElfError as error:
        return ObjectSymbols(None, None, _unreadable(error.message))
    if is_live_vdso(image):
        content = list(encode_symbols(symbols, is_full=True))
        symbol_cache(sources).store(file.build_id, [], content)
    return symbols


def _file_symbols(
    mapped: "Object",
    sources: SymbolSources,
    output: "ReaderOutput",
    outdated: tuple[ObjectSymbols, bool] | None,
) -> ObjectSymbols:
    """Return the symbols that the limited process read, and store them if they are trusted."""
    if output.failure:
        name = printable(mapped.path)
        return ObjectSymbols(None, None, _unreadable(f"{name}: {printable(output.failure)}"))
    from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415 - if not cached

    result = FileResult.decode(output.content)
    if result.warning is not None:
        if outdated is not None:  # its file was replaced after the recording
            return outdated[0]
        return ObjectSymbols(None, None, result.warning)
    parsed = decode_symbols(result.content)
    if parsed is None:
        return ObjectSymbols(None, None, _unreadable(f"{printable(mapped.path)}: no result"))
    if result.identities is not None:
        symbol_cache(sources).store(mapped.build_id, result.identities, [result.content])
    return parsed[0]


def _jit_table(output: "ReaderOutput", addresses: Addresses, pid: int) -> _JitTable:
    nothing = np.full(len(addresses), -1, np.int64)
    if output.failure:
        message = (
            f"map of the JIT compiler of process {pid}: {printable(output.failure)}: its "
            "JIT-compiled functions have no names"
        )
        return _JitTable(None, nothing, ProfileWarning("jit-map-refused", message))
    from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415 - if not cached

    result = FileResult.decode(output.content)
    warning, content = result.warning, result.content
    size = 8 * len(addresses)
    parsed = decode_symbols(content[size:]) if len(content) > size else None
    if parsed is None or parsed[0].table is None:
        return _JitTable(None, nothing, warning)
    table = replace(parsed[0].table, versioned=False)  # names may contain @
    return _JitTable(table, np.frombuffer(content[:size], np.int64), warning)


def _unreadable(message: str) -> ProfileWarning:
    return ProfileWarning("binary-unreadable", f"{printable(message)}: no symbols from it")


def _read_file(mapped: "Object", sources: SymbolSources, addresses: Addresses) -> Iterator[bytes]:
    """Yield the symbols of an object's file; runs in the limited process."""
    from topdown.stacks.symbols.binaries import find_binary  # noqa: PLC0415 - if not cached
    from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415

    with ExitStack() as files:
        binary = find_binary(mapped, sources, files)
        if isinstance(binary, ProfileWarning):
            yield FileResult(binary).header()
            return
        symbols = _elf_symbols(binary.main, binary.debug)
        is_full = binary.debug is not None or binary.main.section(b".symtab") is not None
        identities = binary.identities
        if symbols.size_bytes > ENTRY_LIMIT:
            symbols, identities = symbols.restricted_to(addresses), None
        yield FileResult(None, identities).header()
        yield from encode_symbols(symbols, is_full=is_full)


def _read_jit_map(pid: int, addresses: Addresses, sources: SymbolSources) -> Iterator[bytes]:
    """Yield the functions of a process's JIT-compiled code; runs in the limited process."""
    from topdown.stacks.symbols.file_result import FileResult  # noqa: PLC0415 - if not cached

    symbols, warning = read_jit_map(pid, addresses, sources)
    yield FileResult(warning).header()
    if symbols is not None:
        yield symbols.group.tobytes()
        yield from encode_symbols(ObjectSymbols(symbols.table, _NO_LOADS), is_full=False)


def _elf_symbols(main: ElfFile, debug: ElfFile | None) -> ObjectSymbols:
    segments = main.segments[main.segments["type"] == PT_LOAD]
    loads = np.zeros(len(segments), LOADS)
    for name in LOADS.names or ():
        loads[name] = segments[name]
    from topdown.stacks.elf.symbols import symbol_table  # noqa: PLC0415 - if not cached

    return ObjectSymbols(symbol_table(main, debug), loads)
