"""The effects of x86-64 instructions, decoded by capstone."""

from collections.abc import Iterator
from typing import Any

from topdown.data.operations import (
    AddConstant,
    AddRegisters,
    Call,
    CallingConvention,
    Choose,
    Copy,
    Instruction,
    Load,
    MemoryOperand,
    Multiply,
    Operation,
    Overwrite,
    SetAddress,
    SetConstant,
    SetMultiple,
    Store,
)

_REGISTER, _CONSTANT, _MEMORY = 1, 2, 3  # kinds of operands in capstone
_READS, _WRITES = 1, 2
_POINTER_BYTES = 8
_RSP, _RBP, _RIP = 7, 6, -1
_RETURN_ADDRESS_BYTES = 8
_NO_ACCESS = ("nop", "lea", "prefetch", "endbr", "cldemote")

CONVENTION = CallingConvention(
    stack_pointer=_RSP,
    result=0,
    overwritten=(0, 1, 2, 4, 5, 8, 9, 10, 11),
    entry_offset=-_RETURN_ADDRESS_BYTES,
)

# DWARF numbers of the general registers by all their names.
_NUMBERS = {
    **{
        name: number
        for number, names in enumerate((
            "rax eax ax al ah", "rdx edx dx dl dh", "rcx ecx cx cl ch", "rbx ebx bx bl bh",
            "rsi esi si sil", "rdi edi di dil", "rbp ebp bp bpl", "rsp esp sp spl",
        ))
        for name in names.split()
    },
    **{f"r{number}{suffix}": number for number in range(8, 16) for suffix in ("", "d", "w", "b")},
    "rip": _RIP,
}  # fmt: skip


class X86Decoder:
    """Decodes the code of a function, 20 us per instruction."""

    convention = CONVENTION

    def __init__(self) -> None:
        """Load capstone."""
        import capstone  # noqa: PLC0415 - loaded only to decode

        self._decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._decoder.detail = True

    def instructions(self, code: bytes, start: int) -> Iterator[Instruction]:
        """Yield the instructions from ``start`` up to the first that is not valid."""
        for decoded in self._decoder.disasm(code, start):
            yield _instruction(decoded)


def _instruction(decoded: Any) -> Instruction:  # noqa: ANN401 - capstone has no types
    name = decoded.mnemonic.split()[-1]
    operands = decoded.operands
    jump = None
    if name[0] == "j" and operands and operands[0].type == _CONSTANT:
        jump = operands[0].imm
    operations = tuple(_operations(decoded, name, operands))
    loads = any(isinstance(operation, Load) for operation in operations)
    return Instruction(
        address=decoded.address,
        operations=operations,
        reads_data=loads and name not in ("pop", "leave", "ret"),
        jump=jump,
        falls_through=name not in ("jmp", "ret", "ud2", "hlt"),
    )


def _operations(decoded: Any, name: str, operands: list[Any]) -> Iterator[Operation]:  # noqa: ANN401
    if name.startswith(_NO_ACCESS) and name != "lea":
        return
    handled = _simple_operations(decoded, name, operands)
    if handled is not None:
        yield from handled
        return
    for operand in operands:
        if operand.type == _MEMORY and operand.access & _READS:
            yield Load(None, _memory(decoded, operand), operand.size)
    for operand in operands:
        if operand.type == _MEMORY and operand.access & _WRITES:
            yield Store(_memory(decoded, operand), None, operand.size)
    if name == "call":
        yield Call(operands[0].imm if operands[0].type == _CONSTANT else None)
        return
    for register in decoded.regs_access()[1]:
        number = _NUMBERS.get(decoded.reg_name(register))
        if number is not None and number != _RIP:
            yield Overwrite(number)


def _simple_operations(  # noqa: PLR0911 - a case per kind of instruction
    decoded: Any,  # noqa: ANN401
    name: str,
    operands: list[Any],
) -> list[Operation] | None:
    """Return the effects of an instruction that moves or computes addresses; None for others."""
    if name in ("push", "pop", "leave"):
        return _stack_operations(decoded, name, operands)
    if len(operands) == 3 and name == "imul" and operands[1].type == _REGISTER:
        to, source = (_number(decoded, operand) for operand in operands[:2])
        return None if to is None or source is None else [Multiply(to, source, operands[2].imm)]
    if len(operands) != 2:
        return None
    to, source = operands
    if name in ("mov", "movabs"):
        return _moved(decoded, to, source)
    if to.type != _REGISTER or (register := _number(decoded, to)) is None:
        return None
    if name == "lea":
        if to.size != _POINTER_BYTES:
            return [Overwrite(register)]
        return [SetAddress(register, _memory(decoded, source))]
    if source.type == _CONSTANT:
        return _with_constant(name, register, to.size, source.imm)
    if source.type == _REGISTER:
        return _with_register(decoded, name, register, to.size, source)
    return None


def _stack_operations(
    decoded: Any,  # noqa: ANN401
    name: str,
    operands: list[Any],
) -> list[Operation] | None:
    top = MemoryOperand(_RSP)
    if name == "leave":
        return [Copy(_RSP, _RBP), Load(_RBP, top, _POINTER_BYTES), AddConstant(_RSP, _RSP, 8)]
    operand = operands[0]
    register = _number(decoded, operand) if operand.type == _REGISTER else None
    if name == "pop":
        if register is None:
            return None
        return [Load(register, top, _POINTER_BYTES), AddConstant(_RSP, _RSP, 8)]
    read: list[Operation] = []
    if operand.type == _MEMORY:
        read = [Load(None, _memory(decoded, operand), operand.size)]
    return [*read, AddConstant(_RSP, _RSP, -8), Store(top, register, _POINTER_BYTES)]


def _moved(  # noqa: PLR0911 - a case per kind of operand
    decoded: Any,  # noqa: ANN401
    to: Any,  # noqa: ANN401
    source: Any,  # noqa: ANN401
) -> list[Operation] | None:
    if to.type == _MEMORY:
        register = _number(decoded, source) if source.type == _REGISTER else None
        value = register if to.size == _POINTER_BYTES else None
        return [Store(_memory(decoded, to), value, to.size)]
    register = _number(decoded, to)
    if register is None:
        return None
    if source.type == _MEMORY:
        load = Load(register, _memory(decoded, source), source.size)
        return [load] if to.size == _POINTER_BYTES else [_without_target(load), Overwrite(register)]
    if source.type == _CONSTANT:
        return [SetConstant(register, source.imm)] if to.size >= 4 else [Overwrite(register)]
    from_register = _number(decoded, source)
    if from_register is None:
        return [Overwrite(register)]
    if to.size == _POINTER_BYTES:
        return [Copy(register, from_register)]
    return [Multiply(register, from_register, 1)] if to.size == 4 else [Overwrite(register)]


def _without_target(load: Load) -> Load:
    """Return the load without the register that takes the value."""
    return Load(None, load.memory, load.size)


def _with_constant(name: str, register: int, size: int, constant: int) -> list[Operation] | None:
    if name in ("add", "sub") and size == _POINTER_BYTES:
        return [AddConstant(register, register, constant if name == "add" else -constant)]
    if name in ("shl", "sal") and size >= 4 and 0 <= constant < 32:
        return [Multiply(register, register, 1 << constant)]
    if name == "and" and size >= 4:
        return [SetMultiple(register, constant & -constant if constant else 0)]
    return None


def _with_register(
    decoded: Any,  # noqa: ANN401
    name: str,
    register: int,
    size: int,
    source: Any,  # noqa: ANN401
) -> list[Operation] | None:
    other = _number(decoded, source)
    if other is None:
        return None
    if name == "add" and size == _POINTER_BYTES:
        return [AddRegisters(register, register, other)]
    if name in ("xor", "sub") and other == register and size >= 4:
        return [SetConstant(register, 0)]
    if name.startswith("cmov") and size == _POINTER_BYTES:
        return [Choose(register, other)]
    if name in ("movsxd", "movzx", "movsx") and size >= 4:
        return [Multiply(register, other, 1)]
    return None


def _number(decoded: Any, operand: Any) -> int | None:  # noqa: ANN401
    return _NUMBERS.get(decoded.reg_name(operand.reg) or "")


def _memory(decoded: Any, operand: Any) -> MemoryOperand:  # noqa: ANN401
    memory = operand.mem
    base = _NUMBERS.get(decoded.reg_name(memory.base) or "") if memory.base else None
    index = _NUMBERS.get(decoded.reg_name(memory.index) or "") if memory.index else None
    known = not memory.segment and (base is not None or not memory.base)
    known = known and (index is not None or not memory.index)
    displacement = memory.disp
    if base == _RIP:
        base, displacement = None, displacement + decoded.address + decoded.size
    return MemoryOperand(base, index, memory.scale, displacement, known)
