"""Registers and memory that an instruction reads and writes."""

from topdown.slots.modelled.instructions import decode
from topdown.slots.modelled.operands import Memory, Register, operand, split_operands


def test_an_address_relative_to_the_instruction_pointer_is_absolute() -> None:
    result = decode("mov    rax,QWORD PTR [rip+0x2a0cf]        # 33ab8 <_rtld+0xa98>")
    assert result.memory == Memory("", "", 1, 0x33AB8, 8) or result.memory == Memory(
        "rip", "", 1, 0x33AB8, 8
    )
    assert result.reads == ()


def test_operands() -> None:
    assert split_operands("rax,QWORD PTR [rbx+rcx*8],0x1") == [
        "rax",
        "QWORD PTR [rbx+rcx*8]",
        "0x1",
    ]
    assert operand("r10b") == Register("r10", 1)
    assert operand("zmm31{k1}{z}") == Register("v31", 64)
    assert operand("DWORD PTR [rax+riz*1+0x10]") == Memory("rax", "", 1, 16, 4)
    assert operand("-0x10") == -16
    assert operand("st(1)") == Register("st", 10)
    assert operand("?!") is None
    assert operand("QWORD PTR [rax*99999999999999999999]") is not None
