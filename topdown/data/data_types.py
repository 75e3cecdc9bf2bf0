"""Data types of C and C++ programs, from DWARF, and the field at an offset in one.

Types are resolved when they are needed: a unit describes thousands, a function uses a few. Debug
information is untrusted, so all recursion is bounded.
"""

from dataclasses import dataclass, field
from enum import Enum

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo

MAX_DEPTH = 16  # of nested types, of qualifiers, of namespaces
_MAX_MEMBERS = 4096
_QUALIFIERS = frozenset({
    "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
    "DW_TAG_atomic_type", "DW_TAG_immutable_type",
})  # fmt: skip
_STRUCTURES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_POINTERS = frozenset(
    {"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"}
)
_SCALARS = frozenset({"DW_TAG_base_type", "DW_TAG_enumeration_type"})
_SCOPES = frozenset({"DW_TAG_namespace"}) | _STRUCTURES


class TypeKind(Enum):
    """What a type consists of."""

    SCALAR = "scalar"
    POINTER = "pointer"
    STRUCTURE = "structure"
    ARRAY = "array"


@dataclass(eq=False, slots=True)
class DataType:
    """A type; ``reference`` is the entry of a pointer's target or of an array's element."""

    kind: TypeKind
    name: str
    size: int
    reference: DIE | None = None
    members: tuple["Member", ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a structure or a base class, which has an empty name."""

    offset: int
    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field: its names from the outermost structure, its type, and the offset within it."""

    names: tuple[str, ...]
    type: DataType
    offset: int

    @property
    def path(self) -> str:
        """Return the field as a program would write it: ``head.next`` or ``words[]``."""
        return "".join(
            name if name == "[]" or not index else f".{name}"
            for index, name in enumerate(self.names)
        )


@dataclass(slots=True)
class DataTypes:
    """The types of one file with debug information."""

    dwarf: DWARFInfo
    _types: dict[int, DataType | None] = field(default_factory=dict)

    def of(self, entry: DIE) -> DataType | None:
        """Return the type of a variable, member or parameter; None if it is not known."""
        return self._referenced(entry, 0)

    def target(self, pointer: DataType) -> DataType | None:
        """Return the type that a pointer points to, or that an array consists of."""
        return None if pointer.reference is None else self._type(pointer.reference, 0)

    def field_at(self, type_: DataType, offset: int, size: int, step: int = 0) -> FieldPlace | None:
        """Return the innermost field that contains ``size`` bytes at ``offset``; None if outside.

        ``step``: the address advances by multiples of it, as in ``array[i]``; 0: it is exact.
        """
        names: list[str] = []
        for _ in range(MAX_DEPTH):
            if offset < 0 or offset + size > type_.size:
                return None
            inner = self._inner(type_, offset, size, step)
            if inner is None:
                break
            name, type_, offset = inner
            step = 0 if name == "[]" and step % max(1, type_.size) == 0 else step
            if name:
                names.append(name)
        # An unresolved step could leave the field.
        return None if step else FieldPlace(tuple(names), type_, offset)

    def _inner(
        self, type_: DataType, offset: int, size: int, step: int
    ) -> tuple[str, DataType, int] | None:
        """Return the part of a type with the bytes, None if there is no single one."""
        if type_.kind is TypeKind.ARRAY:
            element = self.target(type_)
            if element is None or not element.size or (step and step % element.size):
                return None
            within = offset % element.size
            return ("[]", element, within) if within + size <= element.size else None
        parts = [
            member
            for member in type_.members
            if member.offset <= offset and offset + size <= member.offset + member.type.size
        ]
        if len(parts) != 1:  # of a union, several
            return None
        return parts[0].name, parts[0].type, offset - parts[0].offset

    def _referenced(self, entry: DIE, depth: int) -> DataType | None:
        if "DW_AT_type" not in entry.attributes:
            return None
        return self._type(entry.get_DIE_from_attribute("DW_AT_type"), depth)

    def _type(self, entry: DIE, depth: int) -> DataType | None:
        if entry.offset not in self._types:
            self._types[entry.offset] = None  # a type that contains itself
            self._types[entry.offset] = self._parsed(entry, depth)
        return self._types[entry.offset]

    def _parsed(self, entry: DIE, depth: int) -> DataType | None:
        if depth > MAX_DEPTH:
            return None
        if entry.tag in _QUALIFIERS:
            return self._qualified(entry, depth)
        if entry.tag in _SCALARS:
            return DataType(TypeKind.SCALAR, _name(entry), _size(entry))
        if entry.tag == "DW_TAG_array_type":
            return self._array(entry, depth)
        if entry.tag in _STRUCTURES:
            members = self._members(entry, depth)
            return DataType(
                TypeKind.STRUCTURE, qualified_name(entry), _size(entry), members=members
            )
        return _pointer(entry) if entry.tag in _POINTERS else None

    def _qualified(self, entry: DIE, depth: int) -> DataType | None:
        """Return the type behind a qualifier; a structure without a name gets that of a typedef."""
        type_ = self._referenced(entry, depth + 1)
        is_alias = entry.tag == "DW_TAG_typedef"
        if is_alias and type_ is not None and type_.name.startswith("("):
            type_.name = qualified_name(entry)
        return type_

    def _array(self, entry: DIE, depth: int) -> DataType | None:
        element = self._referenced(entry, depth + 1)
        if element is None:
            return None
        count = 1
        for dimension in entry.iter_children():
            if dimension.tag != "DW_TAG_subrange_type":
                continue
            length = _constant(dimension, "DW_AT_count")
            if length is None:
                bound = _constant(dimension, "DW_AT_upper_bound")
                length = 0 if bound is None else bound + 1
            count *= length
        reference = entry.get_DIE_from_attribute("DW_AT_type")
        return DataType(TypeKind.ARRAY, f"{element.name}[]", element.size * count, reference)

    def _members(self, entry: DIE, depth: int) -> tuple[Member, ...]:
        members: list[Member] = []
        for child in entry.iter_children():
            if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance"):
                continue
            offset = _member_offset(child, entry)
            type_ = self._referenced(child, depth + 1)
            if offset is None or type_ is None or len(members) >= _MAX_MEMBERS:
                continue
            name = "" if child.tag == "DW_TAG_inheritance" else _name(child)
            members.append(Member(offset, name, type_))
        return tuple(members)


def qualified_name(entry: DIE) -> str:
    """Return the name of a type with its namespaces, as a program writes it."""
    names = [_name(entry) or f"({str(entry.tag).removeprefix('DW_TAG_').split('_')[0]})"]
    scope = entry
    for _ in range(MAX_DEPTH):
        parent = scope.get_parent()
        if parent is None or parent.tag not in _SCOPES:
            break
        scope = parent
        names.append(_name(scope) or "(anonymous namespace)")
    return "::".join(reversed(names))


def unit_variables(unit: CompileUnit) -> list[DIE]:
    """Return the variables of a unit outside functions."""
    variables: list[DIE] = []
    scopes = [unit.get_top_DIE()]
    while scopes:
        for child in scopes.pop().iter_children():
            if child.tag == "DW_TAG_variable":
                variables.append(child)
            elif child.tag == "DW_TAG_namespace":
                scopes.append(child)
    return variables


def _name(entry: DIE) -> str:
    attribute = entry.attributes.get("DW_AT_name")
    if attribute is None:
        return ""
    name = attribute.value
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _constant(entry: DIE, attribute: str) -> int | None:
    value = entry.attributes.get(attribute)
    return value.value if value is not None and isinstance(value.value, int) else None


def _pointer(entry: DIE) -> DataType:
    referenced = "DW_AT_type" in entry.attributes
    target = entry.get_DIE_from_attribute("DW_AT_type") if referenced else None
    size = _size(entry) or entry.cu["address_size"]
    return DataType(TypeKind.POINTER, "pointer", size, target)


def _size(entry: DIE) -> int:
    return _constant(entry, "DW_AT_byte_size") or 0


def _member_offset(member: DIE, structure: DIE) -> int | None:
    """Return the offset of a member in bytes; None for static members and virtual bases."""
    bits = _constant(member, "DW_AT_data_bit_offset")
    if bits is not None:
        return bits // 8
    if "DW_AT_data_member_location" in member.attributes:
        return _constant(member, "DW_AT_data_member_location")
    return 0 if structure.tag == "DW_TAG_union_type" else None
