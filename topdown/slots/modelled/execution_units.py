"""The execution unit of an instruction, and the name of its latency in the constants."""

import re
from enum import StrEnum

from topdown.slots.modelled.operands import Memory, Operand, Register


class ExecutionUnit(StrEnum):
    """Execution units, named as in the constants."""

    NONE = "none"  # done in renaming
    ALU = "alu"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    VECTOR = "vector"
    FP_ADD = "fp_add"
    FP_MULTIPLY = "fp_multiply"
    FP_DIVIDE = "fp_divide"
    BRANCH = "branch"


_FP_ADD = re.compile(
    r"v?(add|sub|max|min|cmp|cvt|round|hadd|ucomis|comis|addsub)\w*[sp][sdh]\w*|v?cvt\w+"
)
# Approximate reciprocals and roots come from a table and not from the divider.
_FP_MULTIPLY = re.compile(r"v?(mul\w*|(rsqrt|rcp)(14|28)?)[sp][sdh]")
_FP_FMA = re.compile(r"vfn?m(add|sub)\w+|vdp[ps]\w+|dpp[sd]")
_FP_DIVIDE = re.compile(r"v?(div|sqrt)([sp])([sd])")
_VECTOR_MULTIPLY = re.compile(r"v?(pmul|pmadd|psad|aes|pclmul|sha)\w*")
_INTEGER = {
    "crc32": "multiply",
    "pdep": "multiply",
    "pext": "multiply",
    "cpuid": "serializing",
    "mfence": "serializing",
    "lfence": "serializing",
    "rdtsc": "serializing",
    "rdtscp": "serializing",
    "xgetbv": "serializing",
    "pause": "serializing",
    "bsf": "bit_scan",
    "bsr": "bit_scan",
}


def executed_by(mnemonic: str, operands: list[Operand]) -> tuple[ExecutionUnit, str]:
    """Return the execution unit of an instruction and the name of its latency."""
    sizes = [o.size_bytes for o in operands if isinstance(o, Register | Memory)]
    if mnemonic in ("div", "idiv"):
        return ExecutionUnit.DIVIDE, "divide64" if sizes and sizes[0] == 8 else "divide32"
    if mnemonic in ("mul", "imul", "mulx"):
        return ExecutionUnit.MULTIPLY, "multiply"
    registers = [o for o in operands if isinstance(o, Register)]
    vectors = sum(register.is_vector for register in registers)
    if vectors:
        return _vector(mnemonic, crosses=vectors < len(registers))
    if mnemonic[0] == "f":
        slow = {"fdiv": "fp_divide_double", "fsqr": "fp_root_double"}
        return ExecutionUnit.FP_ADD, slow.get(mnemonic[:4], "x87")
    return ExecutionUnit.ALU, _INTEGER.get(mnemonic, "integer")


def _vector(mnemonic: str, *, crosses: bool) -> tuple[ExecutionUnit, str]:
    if divided := _FP_DIVIDE.fullmatch(mnemonic):
        kind = "root" if "sqrt" in divided[1] else "divide"
        return ExecutionUnit.FP_DIVIDE, f"fp_{kind}_{'double' if divided[3] == 'd' else 'single'}"
    for pattern, unit, timing in (
        (_FP_FMA, ExecutionUnit.FP_MULTIPLY, "fp_fma"),
        (_FP_MULTIPLY, ExecutionUnit.FP_MULTIPLY, "fp_multiply"),
        (_FP_ADD, ExecutionUnit.FP_ADD, "fp_cross" if crosses else "fp_add"),
    ):
        if pattern.fullmatch(mnemonic):
            return unit, timing
    if crosses:
        return ExecutionUnit.VECTOR, "vector_cross"
    if _VECTOR_MULTIPLY.fullmatch(mnemonic):
        return ExecutionUnit.FP_MULTIPLY, "vector_multiply"
    return ExecutionUnit.VECTOR, "gather" if "gather" in mnemonic else "vector"
