"""The fields that the loads at sampled addresses read, from code and DWARF of one file.

Code and debug information are untrusted: this runs in a limited process (see limited_reader.py).
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile

from topdown.data.data_types import DataType, DataTypes, TypeKind, unit_variables
from topdown.data.load_kinds import FieldName, LoadKind
from topdown.data.type_flow import TypeFlow
from topdown.data.units import MALFORMED, entry_spans, units_of
from topdown.data.variables import VariableReader, origin
from topdown.data.x86_operations import X86Decoder

MAX_FUNCTION_BYTES = 64 << 10
_MAX_PREDECESSORS = 16


@dataclass(frozen=True, slots=True)
class SampledLoad:
    """The load at a sampled address; ``field`` is None unless it is resolved."""

    address: int
    kind: LoadKind
    field: FieldName | None = None


@dataclass(frozen=True, slots=True)
class _Function:
    """A contiguous part of a function's code."""

    entry: DIE
    start: int
    end: int
    is_entry: bool


def sampled_loads(
    debug: BinaryIO,
    code: Callable[[int, int], bytes],
    addresses: Iterable[int],
    *,
    after: bool,
) -> Iterator[SampledLoad]:
    """Yield what the instructions at these addresses load.

    ``code``: returns the bytes from an address, at most a length. ``after``: a timer interrupt
    reports the instruction after the one that took the time; otherwise the addresses are exact.
    """
    remaining = set(addresses)
    elf = ELFFile(debug)
    if elf.has_dwarf_info(True):
        dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False, follow_links=False)
        for unit, contained in units_of(dwarf, sorted(remaining)):
            with contextlib.suppress(*MALFORMED):
                for load in _unit_loads(dwarf, unit, code, contained, after=after):
                    remaining.discard(load.address)
                    yield load
    for address in sorted(remaining):
        yield SampledLoad(address, LoadKind.UNTYPED)


def _unit_loads(
    dwarf: DWARFInfo,
    unit: CompileUnit,
    code: Callable[[int, int], bytes],
    addresses: list[int],
    *,
    after: bool,
) -> Iterator[SampledLoad]:
    types = DataTypes(dwarf)
    reader = VariableReader(dwarf, unit, types)
    global_variables = reader.globals(unit_variables(unit))
    decoder = X86Decoder()
    functions = list(_functions(dwarf, unit))
    returned = _returned_types(types, functions)
    for function in functions:
        # The address after the last instruction of a function is not counted.
        contained = [address for address in addresses if function.start <= address < function.end]
        if not contained or function.end - function.start > MAX_FUNCTION_BYTES:
            continue
        content = code(function.start, function.end - function.start)
        instructions = list(decoder.instructions(content, function.start))
        if not instructions:
            continue
        with contextlib.suppress(*MALFORMED):
            flow = TypeFlow(
                instructions,
                reader.of_function(function.entry),
                global_variables,
                types,
                decoder.convention,
                returned,
            )
            flow.run(at_entry=function.is_entry)
            for address in contained:
                yield _sampled_load(flow, address, after=after)


def _functions(dwarf: DWARFInfo, unit: CompileUnit) -> Iterator[_Function]:
    """Yield the contiguous parts of the functions of a unit."""
    scopes = [unit.get_top_DIE()]
    while scopes:
        for child in scopes.pop().iter_children():
            if child.tag in ("DW_TAG_namespace", "DW_TAG_module"):
                scopes.append(child)
            if child.tag != "DW_TAG_subprogram":
                continue
            spans = entry_spans(dwarf, unit, child)
            low = child.attributes.get("DW_AT_low_pc")
            entry = low.value if low is not None else (spans[0][0] if spans else None)
            for start, end in spans:
                yield _Function(child, start, end, start == entry)


def _returned_types(types: DataTypes, functions: list[_Function]) -> dict[int, DataType]:
    """Return what each function returns a pointer to, by its address."""
    returned: dict[int, DataType] = {}
    for function in functions:
        pointer = types.of(origin(function.entry)) if function.is_entry else None
        if pointer is None or pointer.kind is not TypeKind.POINTER:
            continue
        target = types.target(pointer)
        if target is not None and target.size:
            returned[function.start] = target
    return returned


def _sampled_load(flow: TypeFlow, address: int, *, after: bool) -> SampledLoad:
    sources = flow.predecessors(address) if after else [address]
    loads = [flow.reads_data(source) for source in sources]
    if not any(loads):
        return SampledLoad(address, LoadKind.OTHER)
    if not all(loads) or len(sources) > _MAX_PREDECESSORS:
        return SampledLoad(address, LoadKind.UNDETERMINED)
    accessed = {flow.accessed(source) for source in sources}
    field = accessed.pop()
    if accessed or field is None:
        return SampledLoad(address, LoadKind.UNRESOLVED)
    return SampledLoad(address, LoadKind.RESOLVED, field)
