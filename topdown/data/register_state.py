"""What is known of registers and of the frame at one instruction, and what operations compute."""

from dataclasses import dataclass, field

from topdown.data.operations import (
    AddConstant,
    AddRegisters,
    Choose,
    Computation,
    Copy,
    MemoryOperand,
    Multiply,
    SetAddress,
    SetConstant,
    SetMultiple,
)
from topdown.data.register_values import (
    ConstantValue,
    FrameValue,
    MultipleValue,
    PointerValue,
    Value,
    added,
    added_constant,
    merged,
    multiplied,
)


@dataclass(slots=True)
class RegisterState:
    """What is known of registers, and of the words of the frame by their offset."""

    registers: dict[int, Value] = field(default_factory=dict)
    frame: dict[int, Value] = field(default_factory=dict)

    def copy(self) -> "RegisterState":
        """Return an independent copy."""
        return RegisterState(dict(self.registers), dict(self.frame))

    def set(self, register: int, value: Value | None) -> None:
        """Replace the value of a register; None: it is not known."""
        if value is None:
            self.registers.pop(register, None)
        else:
            self.registers[register] = value

    def merge(self, other: "RegisterState") -> bool:
        """Keep only what holds in both states; returns whether this one changed."""
        registers = _merged(self.registers, other.registers)
        frame = _merged(self.frame, other.frame)
        changed = registers != self.registers or frame != self.frame
        self.registers, self.frame = registers, frame
        return changed


def _merged(first: dict[int, Value], second: dict[int, Value]) -> dict[int, Value]:
    values: dict[int, Value] = {}
    for key, value in first.items():
        common = merged(value, second.get(key))
        if common is not None:
            values[key] = common
    return values


def computed(state: RegisterState, operation: Computation) -> Value | None:  # noqa: PLR0911 - a case per operation
    """Return the value that an operation without memory access gives a register."""
    value_of = state.registers.get
    match operation:
        case Copy(_, source):
            return value_of(source)
        case SetConstant(_, constant):
            return ConstantValue(constant)
        case SetAddress(_, memory):
            return address_of(state, memory)
        case AddConstant(_, source, constant):
            return added_constant(value_of(source), constant)
        case AddRegisters(_, first, second, scale):
            return added(value_of(first), value_of(second), scale)
        case Multiply(_, source, factor):
            return multiplied(value_of(source), factor)
        case SetMultiple(_, factor):
            return MultipleValue(factor)
        case Choose(to, source):
            return merged(value_of(to), value_of(source))
    return None


def base_and_index(
    state: RegisterState, memory: MemoryOperand
) -> tuple[Value | None, Value | None]:
    """Return the values of base and index; a pointer in an unscaled index is the base."""
    base = None if memory.base is None else state.registers.get(memory.base)
    if memory.index is None:
        return base, None
    index = state.registers.get(memory.index) or MultipleValue(1)
    if memory.scale == 1 and (
        isinstance(index, PointerValue | FrameValue)
        or (isinstance(index, ConstantValue) and not isinstance(base, PointerValue | FrameValue))
    ):
        return index, base if base is not None else MultipleValue(1)
    return base, index


def address_of(state: RegisterState, memory: MemoryOperand) -> Value | None:
    """Return the value of an operand's address."""
    if not memory.known:
        return None
    base: Value | None = ConstantValue(0)
    if memory.base is not None:
        base = state.registers.get(memory.base)
    if memory.index is not None:
        base = added(base, state.registers.get(memory.index), memory.scale)
    return added_constant(base, memory.displacement)
