"""The execution unit of each instruction."""

import pytest

from topdown.slots.modelled.constants import core_constants
from topdown.slots.modelled.execution_units import ExecutionUnit
from topdown.slots.modelled.instructions import decode


@pytest.mark.parametrize(
    ("text", "unit", "timing"),
    [
        ("add    rax,rbx", ExecutionUnit.ALU, "integer"),
        ("imul   rax,rbx", ExecutionUnit.MULTIPLY, "multiply"),
        ("idiv   rcx", ExecutionUnit.DIVIDE, "divide64"),
        ("div    ecx", ExecutionUnit.DIVIDE, "divide32"),
        ("divsd  xmm0,xmm1", ExecutionUnit.FP_DIVIDE, "fp_divide_double"),
        ("vsqrtps ymm0,ymm1", ExecutionUnit.FP_DIVIDE, "fp_root_single"),
        ("rsqrtss xmm0,xmm1", ExecutionUnit.FP_MULTIPLY, "fp_multiply"),
        ("vrcp14ps zmm0,zmm1", ExecutionUnit.FP_MULTIPLY, "fp_multiply"),
        ("mulsd  xmm0,xmm1", ExecutionUnit.FP_MULTIPLY, "fp_multiply"),
        ("vfmadd213ps xmm0,xmm1,xmm2", ExecutionUnit.FP_MULTIPLY, "fp_fma"),
        ("addpd  xmm0,xmm1", ExecutionUnit.FP_ADD, "fp_add"),
        ("cvttsd2si rax,xmm0", ExecutionUnit.FP_ADD, "fp_cross"),
        ("movq   rax,xmm0", ExecutionUnit.VECTOR, "vector_cross"),
        ("paddd  xmm0,xmm1", ExecutionUnit.VECTOR, "vector"),
        ("pmuludq xmm0,xmm1", ExecutionUnit.FP_MULTIPLY, "vector_multiply"),
        ("mov    rax,rbx", ExecutionUnit.NONE, "integer"),
        ("mov    eax,0x5", ExecutionUnit.ALU, "integer"),
        ("nop", ExecutionUnit.NONE, "move"),
        ("lock add QWORD PTR [rax],0x1", ExecutionUnit.ALU, "atomic"),
        ("mfence", ExecutionUnit.ALU, "serializing"),
        ("unheard rax,rbx", ExecutionUnit.ALU, "integer"),
        ("(bad)", ExecutionUnit.ALU, "integer"),
    ],
)
def test_each_instruction_has_its_execution_unit(
    text: str, unit: ExecutionUnit, timing: str
) -> None:
    result = decode(text)
    assert (result.unit, result.timing) == (unit, timing)
    assert timing in core_constants().latencies
