"""The effects of a machine instruction on registers and memory, the same for all architectures.

Registers have their DWARF numbers. An effect that matters to no pointer is an Overwrite.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryOperand:
    """The address base + index * scale + displacement; without base it is absolute."""

    base: int | None
    index: int | None = None
    scale: int = 1
    displacement: int = 0
    known: bool = True  # false: of another segment


@dataclass(frozen=True, slots=True)
class Copy:
    """A register takes the value of another."""

    to: int
    source: int


@dataclass(frozen=True, slots=True)
class SetConstant:
    """A register takes a value that the instruction contains."""

    to: int
    value: int


@dataclass(frozen=True, slots=True)
class SetAddress:
    """A register takes the address of an operand."""

    to: int
    memory: MemoryOperand


@dataclass(frozen=True, slots=True)
class AddConstant:
    """A register takes the value of another plus a constant."""

    to: int
    source: int
    constant: int


@dataclass(frozen=True, slots=True)
class AddRegisters:
    """A register takes the sum of two, the second multiplied by ``scale``."""

    to: int
    first: int
    second: int
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Multiply:
    """A register takes the value of another times a constant; a shift to the left is one."""

    to: int
    source: int
    factor: int


@dataclass(frozen=True, slots=True)
class SetMultiple:
    """A register takes an unknown multiple of a constant."""

    to: int
    factor: int


@dataclass(frozen=True, slots=True)
class Choose:
    """A register keeps its value or takes that of another."""

    to: int
    source: int


@dataclass(frozen=True, slots=True)
class Load:
    """Memory is read; ``to`` takes the value if it is as wide as a pointer and unchanged."""

    to: int | None
    memory: MemoryOperand
    size: int


@dataclass(frozen=True, slots=True)
class Store:
    """Memory is written; ``source`` is the register with the value, None if it is not known."""

    memory: MemoryOperand
    source: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function is called; the address is known for direct calls."""

    target: int | None


@dataclass(frozen=True, slots=True)
class Overwrite:
    """A register takes an unknown value."""

    to: int


# Operations that change one register and do not access memory.
Computation = (
    Copy
    | SetConstant
    | SetAddress
    | AddConstant
    | AddRegisters
    | Multiply
    | SetMultiple
    | Choose
    | Overwrite
)
Operation = Computation | Load | Store | Call


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: its effects in order, and where execution continues.

    ``reads_data``: it reads memory other than a saved register or a return address.
    """

    address: int
    operations: tuple[Operation, ...]
    reads_data: bool
    jump: int | None  # the target of a direct jump
    falls_through: bool


@dataclass(frozen=True, slots=True)
class CallingConvention:
    """The registers that a function call involves."""

    stack_pointer: int
    result: int
    overwritten: tuple[int, ...]
    entry_offset: int  # of the stack pointer at a function's entry, from the frame address (CFA)
