"""The execution unit of each instruction."""

import pytest

from topdown.slots.modelled.constants import core_constants
from topdown.slots.modelled.execution_units import Unit
from topdown.slots.modelled.instructions import decode


@pytest.mark.parametrize(
    ("text", "unit", "timing"),
    [
        ("add    rax,rbx", Unit.ALU, "integer"),
        ("imul   rax,rbx", Unit.MULTIPLY, "multiply"),
        ("idiv   rcx", Unit.DIVIDE, "divide64"),
        ("div    ecx", Unit.DIVIDE, "divide32"),
        ("divsd  xmm0,xmm1", Unit.FP_DIVIDE, "fp_divide_double"),
        ("vsqrtps ymm0,ymm1", Unit.FP_DIVIDE, "fp_root_single"),
        ("rsqrtss xmm0,xmm1", Unit.FP_MULTIPLY, "fp_multiply"),
        ("vrcp14ps zmm0,zmm1", Unit.FP_MULTIPLY, "fp_multiply"),
        ("mulsd  xmm0,xmm1", Unit.FP_MULTIPLY, "fp_multiply"),
        ("vfmadd213ps xmm0,xmm1,xmm2", Unit.FP_MULTIPLY, "fp_fma"),
        ("addpd  xmm0,xmm1", Unit.FP_ADD, "fp_add"),
        ("cvttsd2si rax,xmm0", Unit.FP_ADD, "fp_cross"),
        ("movq   rax,xmm0", Unit.VECTOR, "vector_cross"),
        ("paddd  xmm0,xmm1", Unit.VECTOR, "vector"),
        ("pmuludq xmm0,xmm1", Unit.FP_MULTIPLY, "vector_multiply"),
        ("mov    rax,rbx", Unit.NONE, "integer"),
        ("mov    eax,0x5", Unit.ALU, "integer"),
        ("nop", Unit.NONE, "move"),
        ("lock add QWORD PTR [rax],0x1", Unit.ALU, "atomic"),
        ("mfence", Unit.ALU, "serializing"),
        ("unheard rax,rbx", Unit.ALU, "integer"),
        ("(bad)", Unit.ALU, "integer"),
    ],
)
def test_each_instruction_has_its_execution_unit(text: str, unit: Unit, timing: str) -> None:
    result = decode(text)
    assert (result.unit, result.timing) == (unit, timing)
    assert timing in core_constants().latencies
