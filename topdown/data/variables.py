"""The variables of a function and where each is stored at an address, from DWARF."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.locationlists import BaseAddressEntry as LocationBase
from elftools.dwarf.locationlists import LocationEntry, LocationExpr, LocationParser

from topdown.data.data_types import DataType, DataTypes, TypeKind
from topdown.data.units import Spans, entry_spans

_MAX_ENTRIES = 20_000  # of one function
_MAX_REFERENCES = 16
_VARIABLES = frozenset({"DW_TAG_variable", "DW_TAG_formal_parameter"})
_SCOPES = frozenset({"DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"})


@dataclass(frozen=True, slots=True)
class RegisterPlace:
    """A pointer in a register: to ``offset`` bytes into an object of ``target``."""

    register: int
    target: DataType
    offset: int = 0


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A variable in memory, at an offset from a register or from the frame address (None)."""

    register: int | None
    offset: int
    type: DataType


@dataclass(frozen=True, slots=True)
class GlobalPlace:
    """A variable at a fixed address."""

    address: int
    type: DataType
    name: str


Place = RegisterPlace | MemoryPlace | GlobalPlace


@dataclass(slots=True)
class FunctionVariables:
    """The places of a function's variables, with the addresses at which each is valid."""

    places: list[tuple[int, int, Place]]

    def at(self, address: int) -> Iterator[Place]:
        """Yield the places that are valid before the instruction at an address."""
        for start, end, place in self.places:
            if start <= address < end:
                yield place

    @property
    def starts(self) -> set[int]:
        """Return the addresses from which a register is known to hold a pointer."""
        return {start for start, _, place in self.places if isinstance(place, RegisterPlace)}


class VariableReader:
    """Reads the variables of the functions of a unit."""

    def __init__(self, dwarf: DWARFInfo, unit: CompileUnit, types: DataTypes) -> None:
        """Read nothing yet."""
        self._dwarf = dwarf
        self._unit = unit
        self._types = types
        lists: Any = dwarf.location_lists()
        self._locations = LocationParser(lists)
        self._expressions = DWARFExprParser(unit.structs)

    def of_function(self, function: DIE) -> FunctionVariables:
        """Return the variables of a function and of the functions inlined into it."""
        places: list[tuple[int, int, Place]] = []
        frame = self._frame_base(function)
        scopes = [(function, entry_spans(self._dwarf, self._unit, function))]
        visited = 0
        while scopes:
            scope, spans = scopes.pop()
            for child in scope.iter_children():
                visited += 1
                if visited > _MAX_ENTRIES:
                    return FunctionVariables(places)
                if child.tag in _SCOPES:
                    inner = entry_spans(self._dwarf, self._unit, child) or spans
                    scopes.append((child, inner))
                elif child.tag in _VARIABLES:
                    places.extend(self._places(child, spans, frame))
        return FunctionVariables(places)

    def globals(self, variables: list[DIE]) -> list[GlobalPlace]:
        """Return the variables with a fixed address."""
        places = (
            place
            for variable in variables
            for _, _, place in self._places(variable, [(0, 1)], None)
        )
        return [place for place in places if isinstance(place, GlobalPlace)]

    def _frame_base(self, function: DIE) -> int | None:
        """Return the register that stack variables are relative to; None: the frame address."""
        attribute = function.attributes.get("DW_AT_frame_base")
        if attribute is None or describe_form_class(attribute.form) != "exprloc":
            return None
        operations = self._expressions.parse_expr(attribute.value)
        if len(operations) == 1 and operations[0].op_name.startswith("DW_OP_reg"):
            return _register(operations[0])
        return None

    def _places(
        self, variable: DIE, spans: Spans, frame: int | None
    ) -> Iterator[tuple[int, int, Place]]:
        described = origin(variable)
        type_ = self._types.of(described)
        attribute = variable.attributes.get("DW_AT_location")
        if type_ is None or attribute is None:
            return
        for expression, ranges in self._expressions_of(variable, attribute, spans):
            for place in self._place(expression, described, type_, frame):
                for start, end in ranges:
                    yield start, end, place

    def _expressions_of(
        self,
        variable: DIE,
        attribute: Any,  # noqa: ANN401 - pyelftools has no types
        spans: Spans,
    ) -> Iterator[tuple[Any, Spans]]:
        """Yield each location expression with the addresses at which it is valid."""
        version = self._unit["version"]
        if not LocationParser.attribute_has_location(attribute, version):
            return
        parsed = self._locations.parse_from_attribute(attribute, version, variable)
        if isinstance(parsed, LocationExpr):
            yield parsed.loc_expr, spans
            return
        top = self._unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        base = top.value if top is not None else 0
        for entry in parsed:
            if isinstance(entry, LocationBase):
                base = entry.base_address
            elif isinstance(entry, LocationEntry):
                shift = 0 if entry.is_absolute else base
                yield entry.loc_expr, [(entry.begin_offset + shift, entry.end_offset + shift)]

    def _place(
        self, expression: list[int], described: DIE, type_: DataType, frame: int | None
    ) -> Iterator[Place]:
        operations = self._expressions.parse_expr(expression)
        names = [operation.op_name for operation in operations]
        if "DW_OP_piece" in names:
            yield from self._pieces(operations, type_)
        elif len(operations) == 1:
            operation = operations[0]
            if names[0] == "DW_OP_addr":
                yield GlobalPlace(operation.args[0], type_, _name(described))
            elif names[0] == "DW_OP_addrx":
                address = self._dwarf.get_addr(self._unit, operation.args[0])
                yield GlobalPlace(address, type_, _name(described))
            elif names[0] == "DW_OP_fbreg":
                yield MemoryPlace(frame, operation.args[0], type_)
            elif names[0].startswith("DW_OP_reg"):
                yield from self._pointer(_register(operation), type_)
            elif names[0].startswith("DW_OP_breg"):
                yield MemoryPlace(_register(operation), _offset(operation), type_)
        elif names[1:] == ["DW_OP_stack_value"] and names[0].startswith("DW_OP_breg"):
            yield from self._pointer(_register(operations[0]), type_, -_offset(operations[0]))

    def _pointer(self, register: int, type_: DataType, offset: int = 0) -> Iterator[RegisterPlace]:
        """Yield the register if a variable of this type, which it holds, is a pointer."""
        place = self._types.field_at(type_, 0, type_.size) if type_.size else None
        if place is None or place.type.kind is not TypeKind.POINTER:
            return
        target = self._types.target(place.type)
        if target is not None and target.size:
            yield RegisterPlace(register, target, offset)

    def _pieces(self, operations: list[Any], type_: DataType) -> Iterator[RegisterPlace]:
        """Yield the registers that hold pointers of a structure that is stored in parts."""
        offset = 0
        before: Any = None
        for operation in operations:
            if operation.op_name != "DW_OP_piece":
                before = operation
                continue
            size = operation.args[0]
            if before is not None and before.op_name.startswith("DW_OP_reg"):
                place = self._types.field_at(type_, offset, size)
                if place is not None and place.offset == 0 and place.type.size == size:
                    yield from self._pointer(_register(before), place.type)
            offset += size
            before = None


def origin(entry: DIE) -> DIE:
    """Return the entry with the type: of an inlined variable, the one of the inlined function."""
    for _ in range(_MAX_REFERENCES):
        if "DW_AT_type" in entry.attributes:
            break
        references = ("DW_AT_abstract_origin", "DW_AT_specification")
        reference = next((name for name in references if name in entry.attributes), None)
        if reference is None:
            break
        entry = entry.get_DIE_from_attribute(reference)
    return entry


def _name(entry: DIE) -> str:
    attribute = entry.attributes.get("DW_AT_name")
    return attribute.value.decode("utf-8", "replace") if attribute is not None else ""


def _register(operation: Any) -> int:  # noqa: ANN401
    """Return the register of DW_OP_reg0 to 31, DW_OP_regx, DW_OP_breg0 to 31, or DW_OP_bregx."""
    suffix = operation.op_name.partition("reg")[2]
    return int(operation.args[0] if suffix == "x" else suffix)


def _offset(operation: Any) -> int:  # noqa: ANN401
    """Return the offset of DW_OP_bregN or DW_OP_bregx."""
    return int(operation.args[-1])
