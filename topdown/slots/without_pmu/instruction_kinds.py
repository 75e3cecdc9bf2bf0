"""Kinds of instructions, and the kind of a decoded instruction."""

from enum import StrEnum
from typing import Any

_READS, _WRITES = 1, 2  # CS_AC_READ, CS_AC_WRITE
_MEMORY = 3  # CS_OP_MEM


class InstructionKind(StrEnum):
    """Kinds of instructions, in the order of display for equal shares."""

    LOAD = "loads"
    STORE = "stores"
    ATOMIC = "atomic memory operations"
    DIVISION = "divisions and square roots"
    FLOATING = "floating-point and vector arithmetic"
    INTEGER = "integer arithmetic and moves"
    BRANCH = "conditional branches"
    JUMP = "jumps, calls and returns"
    SYSTEM_CALL = "system calls"
    PAUSE = "pauses and fences"


# Prefixes of mnemonics, as capstone 5 prints them.
_X86_DIVISIONS = ("div", "idiv", "fdiv", "fidiv", "sqrt", "fsqrt", "vdiv", "vsqrt")
_X86_PAUSES = ("pause", "mfence", "lfence", "sfence", "nop", "endbr", "tpause", "umwait")
_X86_SYSTEM_CALLS = ("syscall", "sysenter", "int")
_X86_NO_ACCESS = (
    "lea",
    "prefetch",
    "clflush",
    "clwb",
    "invlpg",
)  # their memory operand is not accessed
_X86_STACK = {
    "push": InstructionKind.STORE,
    "pushfq": InstructionKind.STORE,
    "pop": InstructionKind.LOAD,
    "popfq": InstructionKind.LOAD,
    "leave": InstructionKind.LOAD,
}
_ARM64_DIVISIONS = ("udiv", "sdiv", "fdiv", "fsqrt")
_ARM64_PAUSES = ("yield", "wfe", "wfi", "sev", "dmb", "dsb", "isb", "nop", "hint")
_ARM64_ATOMICS = (
    "ldx", "stx", "ldax", "stlx", "cas", "swp", "ldadd", "ldclr", "ldset", "ldeor",
    "ldsmax", "ldsmin", "ldumax", "ldumin", "stadd", "stclr", "stset", "steor",
)  # fmt: skip
_ARM64_BRANCHES = ("b.", "bc.", "cbz", "cbnz", "tbz", "tbnz")
_VECTOR_GROUPS = ("sse", "avx", "fpu", "mmx", "neon", "fparmv8", "fma", "sve", "crypto", "aes")


def x86_kind(instruction: Any) -> InstructionKind:  # noqa: ANN401 - capstone has no types
    """Return the kind of an x86-64 instruction that capstone decoded with details."""
    name = instruction.mnemonic.split()[-1]
    groups = {instruction.group_name(group) for group in instruction.groups}
    if name.startswith(_X86_SYSTEM_CALLS):
        return InstructionKind.SYSTEM_CALL
    if groups & {"call", "ret"} or name == "jmp":
        return InstructionKind.JUMP
    if "jump" in groups:
        return InstructionKind.BRANCH
    if name.startswith(_X86_PAUSES):
        return InstructionKind.PAUSE
    if name.startswith(_X86_DIVISIONS):
        return InstructionKind.DIVISION
    return _x86_memory(instruction, name) or _arithmetic(groups)


def _x86_memory(instruction: Any, name: str) -> InstructionKind | None:  # noqa: ANN401
    """Return the kind of an instruction by its memory access, or None without access."""
    if name in _X86_STACK:
        return _X86_STACK[name]
    accesses = [operand.access for operand in instruction.operands if operand.type == _MEMORY]
    if not accesses or name.startswith(_X86_NO_ACCESS):
        return None
    if "lock" in instruction.mnemonic or name == "xchg":
        return InstructionKind.ATOMIC
    if any(access & _READS for access in accesses):
        return InstructionKind.LOAD
    return InstructionKind.STORE if any(access & _WRITES for access in accesses) else None


def arm64_kind(instruction: Any) -> InstructionKind:  # noqa: ANN401
    """Return the kind of an arm64 instruction that capstone decoded with details."""
    name = instruction.mnemonic
    groups = {instruction.group_name(group) for group in instruction.groups}
    if name in ("svc", "hvc", "smc"):
        return InstructionKind.SYSTEM_CALL
    if name.startswith(_ARM64_BRANCHES):
        return InstructionKind.BRANCH
    if groups & {"call", "ret", "return", "jump"} or name in ("b", "bl", "br", "blr", "ret"):
        return InstructionKind.JUMP
    for kind, prefixes in (
        (InstructionKind.PAUSE, _ARM64_PAUSES),
        (InstructionKind.DIVISION, _ARM64_DIVISIONS),
        (InstructionKind.ATOMIC, _ARM64_ATOMICS),
        (InstructionKind.LOAD, ("ld",)),
        (InstructionKind.STORE, ("st",)),
    ):
        if name.startswith(prefixes):
            return kind
    return _arithmetic(groups)


def _arithmetic(groups: set[str]) -> InstructionKind:
    vector = any(group.startswith(_VECTOR_GROUPS) for group in groups)
    return InstructionKind.FLOATING if vector else InstructionKind.INTEGER
