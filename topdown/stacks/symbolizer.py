"""Names for the frames of a capture: one function for each unique frame."""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topdown.stacks.address_lists import module_of
from topdown.stacks.chain_entries import ends_kernel_chain, ends_user_chain
from topdown.stacks.object_symbols import read_object
from topdown.stacks.printable import NAME_AT_MOST, printable
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.profile import Warning as ProfileWarning
from topdown.stacks.symbol_sources import SymbolSources
from topdown.stacks.symbol_table import SymbolTable
from topdown.stacks.system_images import read_kernel_symbols

if TYPE_CHECKING:
    from stallscope._native import Capture, Object

_USER, _KERNEL = 0, 1
_OTHER_MODULES = {2: "[guest kernel]", 3: "[guest]", 4: "[hypervisor]"}
_UNKNOWN_MODULE = "[unknown]"
_WARNINGS_AT_MOST = 20
_Key = tuple[str, str, FunctionKind]


@dataclass(frozen=True, slots=True)
class NamedFrames:
    """The functions of a capture's frames.

    Arrays (n_frames,): ``function`` int32, index into ``functions``, -1 where not asked for;
    ``ends_chain`` bool, whether a chain with this outermost frame is complete.
    """

    functions: tuple[Function, ...]
    function: npt.NDArray[np.int32]
    ends_chain: npt.NDArray[np.bool_]
    kernel_hidden: bool
    warnings: tuple[ProfileWarning, ...]


class Symbolizer:
    """Names frames from the places it was given. Each object is read once, and let go at once."""

    def __init__(self, sources: SymbolSources) -> None:
        """Take the places that are asked for symbols."""
        self.sources = sources

    def name_frames(self, capture: "Capture", wanted: npt.NDArray[np.bool_]) -> NamedFrames:
        """Return the function of each frame for which ``wanted``, bool (n_frames,), is true."""
        naming = _Naming(capture, self.sources)
        kinds, objects = capture.frame_kind, capture.frame_object
        is_kernel = np.array([found.kernel for found in capture.objects] + [False], np.bool_)
        in_kernel = wanted & ((kinds == _KERNEL) | is_kernel[objects])
        naming.name_kernel(np.flatnonzero(in_kernel))
        rest = np.flatnonzero(wanted & ~in_kernel)
        order = rest[np.argsort(objects[rest], kind="stable")]
        numbers, firsts = np.unique(objects[order], return_index=True)
        for number, rows in zip(numbers.tolist(), np.split(order, firsts[1:]), strict=True):
            if number < 0:
                naming.name_unmapped(rows)
            else:
                naming.name_object(capture.objects[number], rows)
        return naming.result()


class _Naming:
    """The functions found so far."""

    def __init__(self, capture: "Capture", sources: SymbolSources) -> None:
        self._capture = capture
        self._sources = sources
        self._numbers: dict[_Key, int] = {}
        self._function = np.full(len(capture.frame_address), -1, np.int32)
        self._ends_chain = np.zeros(len(capture.frame_address), np.bool_)
        self._warnings: dict[ProfileWarning, None] = {}
        self._kernel_hidden = False

    def result(self) -> NamedFrames:
        functions = tuple(Function(*key) for key in self._numbers)
        warnings = list(self._warnings)
        if len(warnings) > _WARNINGS_AT_MOST:
            more = len(warnings) - _WARNINGS_AT_MOST
            warnings = warnings[:_WARNINGS_AT_MOST]
            warnings.append(ProfileWarning("more-warnings", f"{more} more files have no symbols."))
        return NamedFrames(
            functions, self._function, self._ends_chain, self._kernel_hidden, tuple(warnings)
        )

    def name_kernel(self, rows: npt.NDArray[np.intp]) -> None:
        if not len(rows):
            return
        objects = self._capture.objects
        kernel = next((found for found in objects if found.kernel), None)
        symbols = read_kernel_symbols(kernel, self._sources)
        self._warn(symbols.warning)
        if symbols.hidden:
            self._kernel_hidden = True
            key = ("[kernel]+hidden", "[kernel]", FunctionKind.UNKNOWN)
            self._function[rows] = self._number(key)
            return
        addresses = self._capture.frame_address[rows]
        groups = symbols.table.look_up(addresses)
        self._name_unknown("[kernel]", addresses[groups < 0], rows[groups < 0])
        known = groups >= 0
        unique, inverse = np.unique(groups[known], return_inverse=True)
        modules = [module_of(symbols.table, group) for group in unique.tolist()]
        names = symbols.table.names(unique)
        self._assign(rows[known], inverse, _kernel_keys(names, modules))
        self._ends_chain[rows[known]] = _flags(ends_kernel_chain, names)[inverse]

    def name_object(self, mapped: "Object", rows: npt.NDArray[np.intp]) -> None:
        symbols = read_object(mapped, self._sources)
        self._warn(symbols.warning)
        module = _module(mapped, jit=symbols.table is not None and symbols.segments is None)
        raw = self._capture.frame_address[rows]
        addresses, known = symbols.symbol_addresses(raw)
        if symbols.table is None:
            self._name_unknown(module, raw, rows)
            return
        groups = np.where(known, symbols.table.look_up(addresses), -1)
        missed = groups < 0
        shown = np.where(known, addresses, raw)
        self._name_unknown(module, shown[missed], rows[missed])
        rows, groups = rows[~missed], groups[~missed]
        unique, inverse = np.unique(groups, return_inverse=True)
        names = symbols.table.names(unique)
        self._assign(rows, inverse, _user_keys(module, symbols.table, unique, names))
        ends = _flags(ends_user_chain, names) | symbols.table.entries(unique)
        self._ends_chain[rows] = ends[inverse]

    def name_unmapped(self, rows: npt.NDArray[np.intp]) -> None:
        kinds = self._capture.frame_kind[rows]
        addresses = self._capture.frame_address[rows]
        for kind in np.unique(kinds).tolist():
            module = _OTHER_MODULES.get(kind, _UNKNOWN_MODULE)
            chosen = kinds == kind
            self._name_unknown(module, addresses[chosen], rows[chosen])

    def _name_unknown(
        self, module: str, addresses: npt.NDArray[np.uint64], rows: npt.NDArray[np.intp]
    ) -> None:
        unique, inverse = np.unique(addresses, return_inverse=True)
        keys = [_unknown_key(module, address) for address in unique.tolist()]
        self._assign(rows, inverse, keys)

    def _assign(
        self, rows: npt.NDArray[np.intp], inverse: npt.NDArray[np.intp], keys: list[_Key]
    ) -> None:
        if keys:
            self._function[rows] = np.array([self._number(key) for key in keys], np.int32)[inverse]

    def _number(self, key: _Key) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _warn(self, warning: ProfileWarning | None) -> None:
        if warning is not None:
            self._warnings[warning] = None


def _module(mapped: "Object", *, jit: bool) -> str:
    if mapped.path.startswith(b"/") and not mapped.path.startswith(b"//"):
        return mapped.path[:NAME_AT_MOST].decode("utf-8", "replace")
    if jit:
        return "[jit]"
    if mapped.path.startswith(b"["):
        return printable(mapped.path)
    return "[anonymous]" if mapped.path.startswith(b"//anon") else _UNKNOWN_MODULE


def _unknown_key(module: str, address: int) -> _Key:
    return f"{posixpath.basename(module)}+0x{address:x}", module, FunctionKind.UNKNOWN


def _demangled(names: list[bytes]) -> list[str]:
    from stallscope._native import demangle  # noqa: PLC0415

    return [name[:NAME_AT_MOST].decode("utf-8", "replace") for name in demangle(names)]


def _user_keys(
    module: str, table: SymbolTable, groups: npt.NDArray[np.int64], names: list[bytes]
) -> list[_Key]:
    keys: list[_Key] = []
    starts = table.start[groups].tolist()
    for raw, shown, start in zip(names, _demangled(names), starts, strict=True):
        if raw:
            keys.append((shown, module, FunctionKind.USER))
        else:
            keys.append(_unknown_key(module, start))
    return keys


def _kernel_keys(names: list[bytes], modules: list[bytes]) -> list[_Key]:
    return [
        (
            name.decode("utf-8", "replace"),
            f"[{module.decode('utf-8', 'replace') or 'kernel'}]",
            FunctionKind.KERNEL,
        )
        for name, module in zip(names, modules, strict=True)
    ]


def _flags(predicate: Callable[[bytes], bool], names: list[bytes]) -> npt.NDArray[np.bool_]:
    return np.array([predicate(name) for name in names], np.bool_)
