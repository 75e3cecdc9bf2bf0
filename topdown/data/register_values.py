"""What is known of the value of a register: a pointer into an object, or a multiple of a number."""

import math
from dataclasses import dataclass, field, replace

from topdown.data.data_types import DataType, TypeKind
from topdown.data.load_kinds import FieldName


@dataclass(frozen=True, slots=True)
class PointerValue:
    """Points ``offset`` bytes into an object.

    ``in_array``: a loop advances it by the object's size, so that objects are consecutive and the
    offset is that within any of them. A single step is no evidence: data of another type often
    follows a header. ``loaded_from``: the field that contained the pointer.
    """

    target: DataType
    offset: int = 0
    in_array: bool = False
    loaded_from: FieldName | None = field(default=None, compare=False)

    def moved(self, bytes_: int) -> "PointerValue":
        """Return the pointer after a constant was added."""
        offset = self.offset + bytes_
        size = self.target.size
        return replace(self, offset=offset % size if self.in_array else offset)

    def moved_by_multiple(self, factor: int) -> "PointerValue | None":
        """Return the pointer after an unknown multiple of ``factor`` was added; None if unknown."""
        if factor == 0:
            return self
        if factor % self.target.size:
            return None
        return replace(self, offset=self.offset % self.target.size, in_array=True)

    @property
    def consecutive(self) -> bool:
        """Return whether offsets beyond the object are those within another one."""
        return self.in_array or self.target.kind is TypeKind.SCALAR


@dataclass(frozen=True, slots=True)
class FrameValue:
    """Points into the frame of the function, at an offset from the frame address (CFA)."""

    offset: int


@dataclass(frozen=True, slots=True)
class ConstantValue:
    """A number that is known."""

    value: int


@dataclass(frozen=True, slots=True)
class MultipleValue:
    """An unknown multiple of a number."""

    factor: int


Value = PointerValue | FrameValue | ConstantValue | MultipleValue


def factor_of(value: Value | None) -> int:
    """Return a number that divides a value, 0 for the value 0."""
    if isinstance(value, MultipleValue):
        return value.factor
    return abs(value.value) if isinstance(value, ConstantValue) else 1


def added_constant(value: Value | None, constant: int) -> Value | None:
    """Return a value plus a constant."""
    match value:
        case PointerValue():
            return value.moved(constant)
        case FrameValue(offset):
            return FrameValue(offset + constant)
        case ConstantValue(number):
            return ConstantValue(number + constant)
        case MultipleValue(factor):
            return MultipleValue(math.gcd(factor, constant))
    return None


def added(first: Value | None, second: Value | None, scale: int = 1) -> Value | None:
    """Return the sum of two values, the second of which is multiplied by ``scale``."""
    if scale == 1 and not isinstance(first, PointerValue | FrameValue):
        first, second = second, first
    if isinstance(second, ConstantValue):
        return added_constant(first, second.value * scale)
    factor = factor_of(second) * scale
    if isinstance(second, PointerValue | FrameValue):
        return None
    if isinstance(first, PointerValue):
        return first.moved_by_multiple(factor)
    if isinstance(first, FrameValue):
        return None
    return MultipleValue(math.gcd(factor_of(first), factor))


def multiplied(value: Value | None, factor: int) -> Value | None:
    """Return a value times a constant."""
    if isinstance(value, ConstantValue):
        return ConstantValue(value.value * factor)
    if isinstance(value, PointerValue | FrameValue):
        return None
    return MultipleValue(factor_of(value) * abs(factor))


def merged(first: Value | None, second: Value | None) -> Value | None:
    """Return what is known of a value that is one of two."""
    if first == second:
        return first
    match first, second:
        case PointerValue(), PointerValue():
            return _merged_pointers(first, second)
        case PointerValue(), ConstantValue(0):  # a null pointer is not accessed
            return first
        case ConstantValue(0), PointerValue():
            return second
        case MultipleValue() | ConstantValue(), MultipleValue() | ConstantValue():
            return MultipleValue(math.gcd(factor_of(first), factor_of(second)))
    return None


def _merged_pointers(first: PointerValue, second: PointerValue) -> PointerValue | None:
    size = first.target.size
    if first.target is not second.target or (first.offset - second.offset) % size:
        return None
    return replace(first, offset=first.offset % size, in_array=True)
