"""The symbolizer: a function for each unique frame of a capture."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from stallscope.printable import MAX_NAME_LENGTH, printable
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.symbols.entry_functions import ends_kernel_chain, ends_user_chain
from topdown.stacks.symbols.function_table import (
    AddressNames,
    FixedNames,
    FunctionTable,
    KernelNames,
    NameSource,
    PlaceholderNames,
    Places,
    SymbolNames,
)
from topdown.stacks.symbols.jit_maps import may_hold_jit_code
from topdown.stacks.symbols.kernel_symbols import KernelSymbols, read_kernel_symbols
from topdown.stacks.symbols.object_symbols import AddressSymbols, ObjectReader
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

_KERNEL = 1
_PLACEHOLDERS = {6: FunctionKind.MANAGED_RUN, 7: FunctionKind.EXECUTED_CODE}
_OTHER_MODULES = {2: "[guest kernel]", 3: "[guest]", 4: "[hypervisor]"}
_UNKNOWN_MODULE = "[unknown]"
_MAX_WARNINGS = 20
_TABLE_KEPT = 32 << 20
_TABLES_KEPT = 256 << 20
_HIDDEN = Function("[kernel]+hidden", "[kernel]", FunctionKind.UNKNOWN)
_Rows = npt.NDArray[np.intp]


class FrameSelection(Struct, frozen=True):
    """Frames to symbolize, bool (n_frames,), and which of them are outermost in a chain."""

    selected: npt.NDArray[np.bool_]
    outermost: npt.NDArray[np.bool_]


class NamedFrames(Struct, frozen=True):
    """The functions of a capture's frames.

    Arrays (n_frames,): ``function`` int32, index into ``functions``, -1 if not selected;
    ``ends_chain`` bool, whether a chain with this outermost frame is complete.
    """

    functions: FunctionTable
    function: npt.NDArray[np.int32]
    ends_chain: npt.NDArray[np.bool_]
    kernel_hidden: bool
    warnings: tuple[ProfileWarning, ...]


class Symbolizer:
    """Names the frames of captures. Each object is opened once and closed after use."""

    def __init__(self, sources: SymbolSources) -> None:
        """Set the sources of symbols."""
        self.sources = sources
        self._kernels: dict[tuple[int, bytes], KernelSymbols] = {}

    def kernel_symbols(self, kernel: "Object | None") -> KernelSymbols:
        """Return the symbols of a kernel, which are read once."""
        key = (0, b"") if kernel is None else (kernel.start, kernel.build_id)
        if key not in self._kernels:
            self._kernels[key] = read_kernel_symbols(kernel, self.sources)
        return self._kernels[key]

    def name_frames(self, capture: "Capture", frames: FrameSelection) -> NamedFrames:
        """Return the function of each selected frame."""
        namer = _FrameNamer(capture, frames.outermost, self.kernel_symbols)
        kinds, objects = capture.frame_kind, capture.frame_object
        is_kernel = np.array([mapped.kernel for mapped in capture.objects] + [False], np.bool_)
        in_kernel = frames.selected & ((kinds == _KERNEL) | is_kernel[objects])
        namer.name_kernel(np.flatnonzero(in_kernel))
        rest = np.flatnonzero(frames.selected & ~in_kernel)
        order = rest[np.argsort(objects[rest], kind="stable")]
        numbers, firsts = np.unique(objects[order], return_index=True)
        rows_of = dict(zip(numbers.tolist(), np.split(order, firsts[1:]), strict=False))
        namer.name_unmapped(rows_of.pop(-1, rest[:0]))
        mapped_objects = capture.objects
        files = [
            (mapped_objects[number], capture.frame_address[rows])
            for number, rows in rows_of.items()
        ]
        with ObjectReader(files, self.sources) as reader:
            for position, rows in enumerate(rows_of.values()):
                namer.name_object(files[position][0], rows, reader.symbols(position))
        return namer.result()


class _FrameNamer:
    """The functions named so far."""

    def __init__(
        self,
        capture: "Capture",
        outermost: npt.NDArray[np.bool_],
        kernel_symbols: Callable[["Object | None"], KernelSymbols],
    ) -> None:
        self._capture = capture
        self._outermost = outermost
        self._kernel_symbols = kernel_symbols
        self._parts: list[tuple[NameSource, Places]] = []
        self._count = 0
        self._function = np.full(len(capture.frame_address), -1, np.int32)
        self._ends_chain = np.zeros(len(capture.frame_address), np.bool_)
        self._warnings: dict[ProfileWarning, None] = {}
        self._kernel_hidden = False
        self._kept_strings = 0

    def result(self) -> NamedFrames:
        warnings = list(self._warnings)
        if len(warnings) > _MAX_WARNINGS:
            more = len(warnings) - _MAX_WARNINGS
            warnings = warnings[:_MAX_WARNINGS]
            warnings.append(ProfileWarning("more-warnings", f"{more} more files have no symbols."))
        return NamedFrames(
            FunctionTable(self._parts),
            self._function,
            self._ends_chain,
            self._kernel_hidden,
            tuple(warnings),
        )

    def name_kernel(self, rows: _Rows) -> None:
        if not len(rows):
            return
        kernel = next((mapped for mapped in self._capture.objects if mapped.kernel), None)
        symbols = self._kernel_symbols(kernel)
        self._warn(symbols.warning)
        if symbols.hidden:
            self._kernel_hidden = True
            self._add(FixedNames((_HIDDEN,)), rows, np.zeros(len(rows), np.uint64))
            return
        addresses = self._capture.frame_address[rows]
        groups = symbols.table.look_up(addresses)
        missed = groups < 0
        self._add(AddressNames("[kernel]"), rows[missed], addresses[missed])
        rows, groups = rows[~missed], groups[~missed]
        self._add(KernelNames(symbols.table), rows, groups)
        self._mark_ends(rows, groups, symbols.table, ends_kernel_chain)

    def name_object(self, mapped: "Object", rows: _Rows, symbols: AddressSymbols) -> None:
        self._warn(symbols.warning)
        table, groups = symbols.table, symbols.group
        if table is None:
            self._add(AddressNames(_module(mapped, jit=False)), rows, symbols.shown)
            return
        module = _module(mapped, jit=may_hold_jit_code(mapped))
        missed = groups < 0
        self._add(AddressNames(module), rows[missed], symbols.shown[missed])
        rows, groups = rows[~missed], groups[~missed]
        table, groups = table.restricted_to(groups, kept_bytes=self._kept_bytes())
        self._kept_strings += len(table.strings)
        self._add(SymbolNames(module, table), rows, groups)
        self._mark_ends(rows, groups, table, ends_user_chain)

    def _kept_bytes(self) -> int:
        """Return the size of names that may be kept; other names are copied."""
        return min(_TABLE_KEPT, max(0, _TABLES_KEPT - self._kept_strings))

    def name_unmapped(self, rows: _Rows) -> None:
        if not len(rows):
            return
        kinds = self._capture.frame_kind[rows]
        for kind in sorted(set(kinds.tolist())):
            chosen = rows[kinds == kind]
            if kind in _PLACEHOLDERS:
                names = PlaceholderNames(_PLACEHOLDERS[kind])
                self._add(names, chosen, self._capture.frame_address[chosen])
                continue
            module = _OTHER_MODULES.get(kind, _UNKNOWN_MODULE)
            self._add(AddressNames(module), chosen, self._capture.frame_address[chosen])

    def _add(self, source: NameSource, rows: _Rows, places: npt.NDArray[np.int64] | Places) -> None:
        unique, inverse = np.unique(places, return_inverse=True)
        self._function[rows] = inverse + self._count
        self._parts.append((source, unique.astype(np.uint64)))
        self._count += len(unique)

    def _mark_ends(
        self,
        rows: _Rows,
        groups: npt.NDArray[np.int64],
        table: SymbolTable,
        ends: Callable[[bytes], bool],
    ) -> None:
        chosen = self._outermost[rows]
        unique, inverse = np.unique(groups[chosen], return_inverse=True)
        by_name = np.array([ends(name) for name in table.names(unique)], np.bool_)
        self._ends_chain[rows[chosen]] = (by_name | table.entries(unique))[inverse]

    def _warn(self, warning: ProfileWarning | None) -> None:
        if warning is not None:
            self._warnings[warning] = None


def _module(mapped: "Object", *, jit: bool) -> str:
    if jit and mapped.path != b"[vdso]":
        return "[jit]"
    if mapped.path.startswith(b"/") and not mapped.path.startswith(b"//"):
        return mapped.path[:MAX_NAME_LENGTH].decode("utf-8", "replace")
    if mapped.path.startswith(b"["):
        return printable(mapped.path)
    return "[anonymous]" if mapped.path.startswith(b"//anon") else _UNKNOWN_MODULE
