"""The values of registers before each instruction of a function, and the field that a load reads.

Values flow along jumps until nothing changes. Where paths meet, only what holds on all of them
remains. Debug information about variables in registers prevails over what was derived.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from topdown.data.data_types import DataType, DataTypes, FieldPlace, TypeKind
from topdown.data.load_kinds import FieldName
from topdown.data.operations import (
    Call,
    CallingConvention,
    Instruction,
    Load,
    MemoryOperand,
    Multiply,
    Operation,
    Store,
)
from topdown.data.register_state import RegisterState, address_of, base_and_index, computed
from topdown.data.register_values import (
    ConstantValue,
    FrameValue,
    PointerValue,
    Value,
    factor_of,
)
from topdown.data.variables import (
    FunctionVariables,
    GlobalPlace,
    MemoryPlace,
    RegisterPlace,
)

STACK = "(stack)"  # a saved register or a temporary value
_POINTER_BYTES = 8
_MAX_VISITS = 8  # of an instruction on average


@dataclass(frozen=True, slots=True)
class AccessedPlace:
    """The type of an object, the field of it, and the field that the pointer to it came from."""

    type_name: str
    field: FieldPlace
    loaded_from: FieldName | None = None

    @property
    def name(self) -> FieldName:
        """Return the field; for a number, the array of it that a field points to."""
        if self.field.names or self.loaded_from is None or not self.is_number:
            return FieldName(self.type_name, self.field.path)
        return FieldName(self.loaded_from.type_name, f"{self.loaded_from.field}[]")

    @property
    def is_number(self) -> bool:
        """Return whether the object has no fields."""
        return self.field.type.kind in (TypeKind.SCALAR, TypeKind.POINTER)


@dataclass(slots=True)
class TypeFlow:
    """The analysis of one function."""

    instructions: list[Instruction]
    variables: FunctionVariables
    global_variables: list[GlobalPlace]
    types: DataTypes
    convention: CallingConvention
    returned: dict[int, DataType]  # what a function returns a pointer to, by its address
    _places: dict[int, int] = field(default_factory=dict)
    _jumps: dict[int, list[int]] = field(default_factory=dict)
    _states: dict[int, RegisterState] = field(default_factory=dict)

    def run(self, *, at_entry: bool) -> None:
        """Compute the states; ``at_entry``: the first instruction is the function's entry."""
        self._places = {
            instruction.address: index for index, instruction in enumerate(self.instructions)
        }
        for instruction in self.instructions:
            if instruction.jump is not None:
                self._jumps.setdefault(instruction.jump, []).append(instruction.address)
        entry = RegisterState()
        if at_entry:
            entry.set(self.convention.stack_pointer, FrameValue(self.convention.entry_offset))
        self._flow(0, entry)
        for index in range(len(self.instructions)):
            if index not in self._states:  # only reached through a table of jumps
                self._flow(index, RegisterState())

    def reads_data(self, address: int) -> bool:
        """Return whether the instruction at an address reads data."""
        index = self._places.get(address)
        return index is not None and self.instructions[index].reads_data

    def predecessors(self, address: int) -> list[int]:
        """Return the instructions that can be executed before the one at an address."""
        index = self._places.get(address)
        if index is None:
            return []
        sources = list(self._jumps.get(address, ()))
        if index > 0 and self.instructions[index - 1].falls_through:
            sources.insert(0, self.instructions[index - 1].address)
        return sources

    def accessed(self, address: int) -> FieldName | None:
        """Return what the load of the instruction at an address reads; None if not known."""
        index = self._places.get(address)
        state = None if index is None else self._states.get(index)
        if index is None or state is None:
            return None
        state = state.copy()
        instruction = self.instructions[index]
        self._add_variables(state, instruction.address)
        for operation in instruction.operations:
            if isinstance(operation, Load):
                return self._accessed(state, operation, address)
            self._apply(state, operation, address)
        return None

    def _accessed(self, state: RegisterState, load: Load, address: int) -> FieldName | None:
        place = self._place(state, load.memory, load.size, address)
        if place is not None:
            return place.name
        if isinstance(address_of(state, load.memory), FrameValue):
            return FieldName(STACK, "")
        return None

    def _flow(self, start: int, state: RegisterState) -> None:
        self._states[start] = state
        pending = deque([start])
        visits = _MAX_VISITS * len(self.instructions) + 64
        while pending and visits:
            visits -= 1
            index = pending.popleft()
            instruction = self.instructions[index]
            after = self._states[index].copy()
            self._add_variables(after, instruction.address)
            for operation in instruction.operations:
                self._apply(after, operation, instruction.address)
            for successor in self._successors(index):
                earlier = self._states.get(successor)
                if earlier is None:
                    self._states[successor] = after.copy()
                    pending.append(successor)
                elif earlier.merge(after):
                    pending.append(successor)
        if pending:  # not all merges were made, so nothing is certain
            self._states = {index: RegisterState() for index in range(len(self.instructions))}

    def _successors(self, index: int) -> Iterator[int]:
        instruction = self.instructions[index]
        if instruction.jump is not None and instruction.jump in self._places:
            yield self._places[instruction.jump]
        if instruction.falls_through and index + 1 < len(self.instructions):
            yield index + 1

    def _add_variables(self, state: RegisterState, address: int) -> None:
        for place in self.variables.at(address):
            if not isinstance(place, RegisterPlace):
                continue
            value = state.registers.get(place.register)
            if not isinstance(value, PointerValue) or not _contains(value, place):
                state.set(place.register, PointerValue(place.target, place.offset))

    def _apply(self, state: RegisterState, operation: Operation, address: int) -> None:
        """Change the state as the operation does."""
        if isinstance(operation, Store):
            source = operation.source
            value = None if source is None else state.registers.get(source)
            self._store(state, operation.memory, value)
        elif isinstance(operation, Call):
            for register in self.convention.overwritten:
                state.set(register, None)
            if operation.target in self.returned:
                state.set(self.convention.result, PointerValue(self.returned[operation.target]))
        elif isinstance(operation, Load):
            if operation.to is not None:
                value = self._loaded(state, operation.memory, operation.size, address)
                state.set(operation.to, value)
        else:
            value = computed(state, operation)
            if isinstance(value, ConstantValue) and not isinstance(operation, Multiply):
                value = self._global_pointer(value.value) or value
            state.set(operation.to, value)

    def _loaded(
        self, state: RegisterState, memory: MemoryOperand, size: int, address: int
    ) -> Value | None:
        """Return the value of a load: a pointer if the field is one."""
        target = address_of(state, memory)
        if isinstance(target, FrameValue) and target.offset in state.frame:
            return state.frame[target.offset]
        place = self._place(state, memory, size, address)
        if place is None or size != _POINTER_BYTES:
            return None
        inner = place.field
        if inner.type.kind is not TypeKind.POINTER or inner.offset:
            return None
        pointed = self.types.target(inner.type)
        if pointed is None or not pointed.size:
            return None
        return PointerValue(pointed, loaded_from=place.name)

    def _store(self, state: RegisterState, memory: MemoryOperand, value: Value | None) -> None:
        target = address_of(state, memory)
        if not isinstance(target, FrameValue):
            return
        for offset in [key for key in state.frame if abs(key - target.offset) < _POINTER_BYTES]:
            del state.frame[offset]
        if value is not None:
            state.frame[target.offset] = value

    def _place(
        self, state: RegisterState, memory: MemoryOperand, size: int, address: int
    ) -> AccessedPlace | None:
        """Return the name of the object's type and the field at an address."""
        if not memory.known:
            return None
        base, index = base_and_index(state, memory)
        step = 0 if index is None else factor_of(index) * memory.scale
        if isinstance(base, PointerValue):
            return self._pointed(base, memory.displacement, size, step)
        if memory.index is None or index is not None:
            for place in self.variables.at(address):
                if isinstance(place, MemoryPlace):
                    offset = _offset_in(place, base, memory)
                    if offset is not None and (
                        inner := self.types.field_at(place.type, offset, size, step)
                    ):
                        return AccessedPlace(place.type.name, inner)
        if isinstance(base, ConstantValue) or memory.base is None:
            start = base.value if isinstance(base, ConstantValue) else 0
            return self._global(start + memory.displacement, size, step)
        return None

    def _pointed(
        self, base: PointerValue, displacement: int, size: int, step: int
    ) -> AccessedPlace | None:
        target = base.target
        offset = base.offset + displacement
        if step and step % target.size == 0:
            offset, step = offset % target.size, 0
        elif base.consecutive:
            offset %= target.size
        place = self.types.field_at(target, offset, size, step)
        return None if place is None else AccessedPlace(target.name, place, base.loaded_from)

    def _global(self, address: int, size: int, step: int) -> AccessedPlace | None:
        for variable in self.global_variables:
            if variable.address <= address < variable.address + variable.type.size:
                offset = address - variable.address
                place = self.types.field_at(variable.type, offset, size, step)
                return None if place is None else self._global_place(variable, place)
        return None

    def _global_pointer(self, address: int) -> PointerValue | None:
        """Return a pointer into the variable at an address, None if there is none."""
        for variable in self.global_variables:
            if not variable.address <= address < variable.address + variable.type.size:
                continue
            target, offset = variable.type, address - variable.address
            is_array = target.kind is TypeKind.ARRAY
            element = self.types.target(target) if is_array else target
            if element is None or not element.size:
                return None
            return PointerValue(
                element,
                offset % element.size if is_array else offset,
                is_array,
                FieldName(variable.name, ""),
            )
        return None

    def _global_place(self, variable: GlobalPlace, place: FieldPlace) -> AccessedPlace:
        """Return the place under the name of its structure; a number has that of the variable."""
        type_ = variable.type
        if type_.kind is TypeKind.ARRAY and len(place.names) > 1:
            element = self.types.target(type_)
            if element is not None and element.kind is TypeKind.STRUCTURE:
                return AccessedPlace(element.name, replace(place, names=place.names[1:]))
        name = type_.name if type_.kind is TypeKind.STRUCTURE else variable.name
        return AccessedPlace(name, place)


def _contains(known: PointerValue, place: RegisterPlace) -> bool:
    """Return whether the variable's object is the known one or a part of it."""
    if known.target is place.target:
        return (known.offset - place.offset) % known.target.size == 0
    start = known.offset - place.offset
    return start >= 0 and start + place.target.size <= known.target.size


def _offset_in(place: MemoryPlace, base: Value | None, memory: MemoryOperand) -> int | None:
    """Return the offset of an operand in a variable in memory; None if it is elsewhere."""
    if place.register is None:
        start = base.offset if isinstance(base, FrameValue) else None
    else:
        start = 0 if memory.base == place.register else None
    if start is None:
        return None
    offset = start + memory.displacement - place.offset
    return offset if 0 <= offset < place.type.size else None
