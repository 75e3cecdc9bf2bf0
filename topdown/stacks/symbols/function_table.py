"""The functions of a profile, named on demand.

A capture may hit 250,000 functions of which a summary names 30: names are extracted from the symbol
table, demangled and decoded one by one, or all together when the table is iterated.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, overload

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.symbol_table import PLT_SUFFIX, SymbolTable
from topdown.stacks.symbols.text_tables import module_of

Places = npt.NDArray[np.uint64]

# Bounds what is needed beside the names while a large binary is named.
_NAMED_AT_ONCE = 16_384


class NameSource(Protocol):
    """A source that names functions by place: an address, a group of a table, or an index."""

    def functions(self, places: Places) -> list[Function]:
        """Return the function of each place."""

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return the kind of each function, as FunctionKind."""


class AddressNames(Struct, frozen=True):
    """Addresses without a symbol, named module+0xaddress."""

    module: str

    def functions(self, places: Places) -> list[Function]:
        """Return the function of each address."""
        return [unknown_function(self.module, index) for index in places.tolist()]

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return UNKNOWN for every address."""
        return np.full(len(places), FunctionKind.UNKNOWN, np.uint8)


class PlaceholderNames(Struct, frozen=True):
    """Numbers of managed frames, which replace them before the profile's tree is built."""

    kind: FunctionKind  # MANAGED_RUN, EXECUTED_CODE

    def functions(self, places: Places) -> list[Function]:
        """Return a function whose name is the number."""
        return [Function(str(number), "[managed]", self.kind) for number in places.tolist()]

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return the kind for every place."""
        return np.full(len(places), self.kind, np.uint8)


class SymbolNames(Struct, frozen=True):
    """Groups of a symbol table of a file, named by their symbols."""

    module: str
    table: SymbolTable

    def functions(self, places: Places) -> list[Function]:
        """Return the function of each group; a group without a name is unknown."""
        groups = places.astype(np.int64)
        names = self.table.names(groups)
        starts = self.table.start[groups].tolist()
        return [
            Function(shown, self.module, FunctionKind.USER)
            if raw
            else unknown_function(self.module, start)
            for raw, shown, start in zip(names, demangled(names), starts, strict=True)
        ]

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return USER for groups with a name, UNKNOWN for others."""
        named = self.table.named(places.astype(np.int64))
        return np.where(named, FunctionKind.USER, FunctionKind.UNKNOWN).astype(np.uint8)


class KernelNames(Struct, frozen=True):
    """Groups of the kernel's symbol table."""

    table: SymbolTable

    def functions(self, places: Places) -> list[Function]:
        """Return the function of each group, with its module."""
        groups = places.astype(np.int64)
        modules = [module_of(self.table, group) or b"kernel" for group in groups.tolist()]
        return [
            Function(_decoded(name), f"[{_decoded(module)}]", FunctionKind.KERNEL)
            for name, module in zip(self.table.names(groups), modules, strict=True)
        ]

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return KERNEL for every group."""
        return np.full(len(places), FunctionKind.KERNEL, np.uint8)


class FixedNames(Struct, frozen=True):
    """A fixed list of functions; a place is an index."""

    fixed: tuple[Function, ...]

    def functions(self, places: Places) -> list[Function]:
        """Return the function at each index."""
        return [self.fixed[index] for index in places.tolist()]

    def kinds(self, places: Places) -> npt.NDArray[np.uint8]:
        """Return the kind of each function."""
        return np.array([self.fixed[index].kind for index in places.tolist()], np.uint8)


class FunctionTable(Sequence[Function]):
    """Functions by index, named at first use."""

    def __init__(self, parts: Sequence[tuple[NameSource, Places]]) -> None:
        """Concatenate the functions of the parts."""
        self._parts = parts
        self._bounds = np.append(0, np.cumsum([len(places) for _, places in parts]))
        self._named: dict[int, Function] = {}
        self._all: list[Function] | None = None

    def __len__(self) -> int:
        """Return the number of functions."""
        return int(self._bounds[-1])

    @overload
    def __getitem__(self, index: int) -> Function: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Function, ...]: ...
    def __getitem__(self, index: int | slice) -> Function | tuple[Function, ...]:
        """Return the function at ``index``."""
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        if self._all is not None:
            return self._all[number]
        if number not in self._named:
            part = int(np.searchsorted(self._bounds, number, side="right")) - 1
            source, places = self._parts[part]
            at = number - int(self._bounds[part])
            self._named[number] = source.functions(places[at : at + 1])[0]
        return self._named[number]

    def __iter__(self) -> Iterator[Function]:
        """Yield all functions, named together."""
        if self._all is None:
            self._all = [
                function
                for source, places in self._parts
                for begin in range(0, len(places), _NAMED_AT_ONCE)
                for function in source.functions(places[begin : begin + _NAMED_AT_ONCE])
            ]
            for number, function in self._named.items():
                self._all[number] = function
        return iter(self._all)

    def kinds(self) -> npt.NDArray[np.uint8]:
        """Return the kind of each function, without naming it."""
        kinds = [source.kinds(places) for source, places in self._parts]
        return np.concatenate([*kinds, np.zeros(0, np.uint8)])

    def with_lines(self, lines: Mapping[int, tuple[tuple[str, int], ...]]) -> "FunctionTable":
        """Return a table with source lines added to the functions at these indexes."""
        table = FunctionTable(self._parts)
        table._named.update(self._named)
        table._named.update(
            (number, replace(self[number], lines=lines_of)) for number, lines_of in lines.items()
        )
        return table

    def extended(self, functions: Sequence[Function]) -> "FunctionTable":
        """Return a table with these functions appended."""
        places = np.arange(len(functions), dtype=np.uint64)
        table = FunctionTable([*self._parts, (FixedNames(tuple(functions)), places)])
        table._named.update(self._named)
        return table


def kinds_of(functions: Sequence[Function]) -> npt.NDArray[np.uint8]:
    """Return the kind of each function, without naming those of a table."""
    if isinstance(functions, FunctionTable):
        return functions.kinds()
    return np.array([function.kind for function in functions], np.uint8)


def unknown_function(module: str, address: int) -> Function:
    """Return the function of an address without a symbol."""
    name = f"{posixpath.basename(module) or module}+0x{address:x}"
    return Function(name, module, FunctionKind.UNKNOWN)


def demangled(names: list[bytes]) -> list[str]:
    """Return names as in the source code (C++, Rust), decoded with replacement."""
    from stallscope._native import demangle  # noqa: PLC0415

    is_plt_entry = [name.endswith(PLT_SUFFIX) for name in names]
    sources = demangle([name.removesuffix(PLT_SUFFIX) for name in names])
    return [
        _decoded(name + PLT_SUFFIX if is_plt else name)
        for name, is_plt in zip(sources, is_plt_entry, strict=True)
    ]


def _decoded(name: bytes) -> str:
    return name[:MAX_NAME_LENGTH].decode("utf-8", "replace")
