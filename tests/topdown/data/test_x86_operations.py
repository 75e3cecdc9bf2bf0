"""The effects of x86-64 instructions on registers and memory."""

import pytest

from topdown.data.operations import (
    AddConstant,
    AddRegisters,
    Call,
    Choose,
    Copy,
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
from topdown.data.x86_operations import X86Decoder

RAX, RDX, RCX, RBX, RSP, R8 = 0, 1, 2, 3, 7, 8
START = 0x1000


@pytest.mark.parametrize(
    ("code", "operations", "reads_data"),
    [
        ("48 89 c2", [Copy(RDX, RAX)], False),  # mov rdx, rax
        ("89 c2", [Multiply(RDX, RAX, 1)], False),  # mov edx, eax
        ("48 8b 50 08", [Load(RDX, MemoryOperand(RAX, displacement=8), 8)], True),
        ("8b 14 88", [Load(None, MemoryOperand(RAX, RCX, 4), 4), Overwrite(RDX)], True),
        ("48 89 50 08", [Store(MemoryOperand(RAX, displacement=8), RDX, 8)], False),
        ("48 8d 50 08", [SetAddress(RDX, MemoryOperand(RAX, displacement=8))], False),
        ("48 8b 05 10 00 00 00", [Load(RAX, MemoryOperand(None, displacement=START + 23), 8)], True),
        ("48 83 c0 10", [AddConstant(RAX, RAX, 16)], False),
        ("48 83 e8 10", [AddConstant(RAX, RAX, -16)], False),
        ("48 01 d0", [AddRegisters(RAX, RAX, RDX)], False),
        ("48 c1 e0 04", [Multiply(RAX, RAX, 16)], False),
        ("48 6b c2 28", [Multiply(RAX, RDX, 40)], False),  # imul rax, rdx, 40
        ("48 83 e0 f0", [SetMultiple(RAX, 16)], False),
        ("31 c0", [SetConstant(RAX, 0)], False),
        ("48 0f 44 c2", [Choose(RAX, RDX)], False),
        ("53", [AddConstant(RSP, RSP, -8), Store(MemoryOperand(RSP), RBX, 8)], False),
        ("5b", [Load(RBX, MemoryOperand(RSP), 8), AddConstant(RSP, RSP, 8)], False),
        ("e8 00 01 00 00", [Call(START + 0x105)], False),
        ("48 3b 10", [Load(None, MemoryOperand(RAX), 8)], True),  # cmp rdx, [rax]
        ("64 48 8b 04 25 28 00 00 00", [
            Load(RAX, MemoryOperand(None, displacement=0x28, known=False), 8)
        ], True),
        ("0f 18 08", [], False),  # prefetcht0
        ("49 d1 e8", [Overwrite(R8)], False),  # shr r8
    ],
)  # fmt: skip
def test_the_effects_of_an_instruction(
    code: str, operations: list[Operation], reads_data: bool
) -> None:
    (instruction,) = X86Decoder().instructions(bytes.fromhex(code), START)
    assert list(instruction.operations) == operations
    assert instruction.reads_data is reads_data


@pytest.mark.parametrize(
    ("code", "jump", "falls_through"),
    [
        ("eb 02", START + 4, False),
        ("74 02", START + 4, True),
        ("c3", None, False),
        ("ff e0", None, False),
        ("ff d0", None, True),
        ("90", None, True),
    ],
)
def test_where_execution_continues(code: str, jump: int | None, falls_through: bool) -> None:
    (instruction,) = X86Decoder().instructions(bytes.fromhex(code), START)
    assert (instruction.jump, instruction.falls_through) == (jump, falls_through)
