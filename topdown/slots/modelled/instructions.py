"""x86-64 instructions as a pipeline executes them: registers, memory, unit and latency.

The input is objdump's Intel syntax. An unknown mnemonic reads all its operands and writes the
first, which is the most common and the conservative assumption.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from topdown.slots.modelled.execution_units import ExecutionUnit, executed_by
from topdown.slots.modelled.operands import Memory, Operand, Register, operand, split_operands


class Flow(StrEnum):
    """The control flow after an instruction."""

    NEXT = "next"
    CONDITIONAL = "conditional"
    JUMP = "jump"
    CALL = "call"
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Instruction:
    """A decoded instruction. ``timing`` names its latency in the constants.

    ``moves`` is (target, source, added) if the target register becomes the source plus a constant;
    ``sets`` is (target, value) if it becomes a constant.
    """

    mnemonic: str
    unit: ExecutionUnit
    timing: str
    flow: Flow = Flow.NEXT
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    memory: Memory | None = None
    loads: bool = False
    stores: bool = False
    moves: tuple[str, str, int] | None = None
    sets: tuple[str, int] | None = None
    stack_bytes: int = 0  # added to the stack pointer
    repeats: bool = False

    @property
    def element_bytes(self) -> int:
        """Return the number of bytes it accesses in memory."""
        return self.memory.size_bytes if self.memory is not None else 0

    @property
    def from_stack(self) -> bool:
        """Return whether it loads an integer register relative to the stack or frame pointer."""
        memory = self.memory
        on_stack = memory is not None and memory.base in ("rsp", "rbp") and not memory.index
        return self.loads and on_stack and not self.into_vector

    @property
    def into_vector(self) -> bool:
        """Return whether it writes a vector register."""
        return any(name.startswith("v") for name in self.writes)


FLAGS = "flags"
_ELEMENT_BYTES = {"b": 1, "w": 2, "d": 4, "q": 8}
_STACK = Memory("rsp", "", 1, 0, 8)
_CONDITION = re.compile(r"(?:j|set|cmov)(?!mp)[a-z]+")
_PREFIXES = {
    "lock",
    "rep",
    "repz",
    "repnz",
    "repe",
    "repne",
    "notrack",
    "bnd",
    "data16",
    "cs",
    "ds",
}
_PREFIXES |= {"es", "fs", "gs", "addr32", "xacquire", "xrelease"}
_COMPARES = {"cmp", "test", "bt", "ucomiss", "ucomisd", "comiss", "comisd", "ptest", "vptest"}
_COMPARES |= {"vucomiss", "vucomisd", "vcomiss", "vcomisd", "kortestb", "kortestw", "kortestd"}
_COMPARES |= {"kortestq", "ktestb", "ktestw", "ktestd", "ktestq"}
_NO_FLAGS = {"not", "lea", "movzx", "movsx", "movsxd", "bswap", "xchg", "mulx", "rorx", "sarx"}
_NO_FLAGS |= {"shlx", "shrx", "pdep", "pext", "movbe", "crc32", "movabs", "push", "pop", "leave"}
_NO_FLAGS |= {"cdq", "cqo", "cdqe", "cwde", "nop", "mov", "prefetchnta", "prefetcht0", "cwd"}
_WRITE_ONLY = {"mov", "movabs", "movzx", "movsx", "movsxd", "lea", "movbe", "bsf", "bsr", "tzcnt"}
_WRITE_ONLY |= {"lzcnt", "popcnt", "pop", "mulx", "rorx", "sarx", "shlx", "shrx", "pdep", "pext"}
_WRITE_ONLY |= {"andn", "bextr", "blsr", "blsi", "blsmsk", "pshufd", "pshuflw", "pshufhw", "lddqu"}
_WRITE_ONLY |= {"sqrtps", "sqrtpd", "rcpps", "rsqrtps", "pabsb", "pabsw", "pabsd", "rdtsc", "bzhi"}
_WRITE_ONLY |= {"cvtps2pd", "cvtpd2ps", "cvtdq2ps", "cvtdq2pd", "cvttps2dq", "cvttpd2dq", "xgetbv"}
_WRITE_ONLY |= {
    "cvttsd2si",
    "cvttss2si",
    "cvtsd2si",
    "cvtss2si",
    "cvtps2dq",
    "pmovmskb",
    "movmskps",
}
_WRITE_ONLY |= {"movmskpd", "pextrb", "pextrw", "pextrd", "pextrq", "movddup", "movshdup"}
_IDIOMS = {"xor", "sub", "pxor", "xorps", "xorpd", "vpxor", "vxorps", "vxorpd", "vpxord", "vpxorq"}
_IDIOMS |= {"pcmpeqd", "pcmpeqb", "pcmpeqw", "vpcmpeqd", "vpcmpeqb", "psubd", "psubq"}
_IMPLICIT = {
    "cqo": (("rax",), ("rdx",)),
    "cdq": (("rax",), ("rdx",)),
    "cwd": (("rax",), ("rdx",)),
    "cdqe": (("rax",), ("rax",)),
    "cwde": (("rax",), ("rax",)),
    "cpuid": (("rax", "rcx"), ("rax", "rbx", "rcx", "rdx")),
    "rdtsc": ((), ("rax", "rdx")),
    "xgetbv": (("rcx",), ("rax", "rdx")),
    "syscall": (("rax", "rdi", "rsi", "rdx"), ("rax", "rcx", "r11")),
}
_RIP = re.compile(r"\[rip[^\]]*\]")
_HEX = re.compile(r"[0-9a-f]{1,16}")
_STRING = re.compile(r"(?:movs|stos|lods|scas|cmps)[bwdq]?")


def decode(text: str) -> Instruction:
    """Return the instruction in a disassembled line."""
    words = text.split(None, 1)
    prefixes = set()
    while len(words) == 2 and (words[0] in _PREFIXES or words[0].startswith("rex")):
        prefixes.add(words[0])
        words = words[1].split(None, 1)
    mnemonic = words[0].partition(",")[0] if words else "(bad)"
    operand_text = words[1] if len(words) == 2 else ""
    operands = [operand(part) for part in split_operands(_without_notes(operand_text))]
    flow = _flow(mnemonic)
    if flow is not Flow.NEXT:
        return _branch(mnemonic, flow, operands)
    if _STRING.fullmatch(mnemonic) and not any(
        isinstance(o, Register) and o.is_vector for o in operands
    ):
        return _string(_with_size(mnemonic, operands), prefixes)
    if mnemonic in ("push", "pop", "leave"):
        return _stack(mnemonic, operands)
    return _plain(mnemonic, operands, locked="lock" in prefixes)


def _without_notes(operand_text: str) -> str:
    """Return operands without objdump's notes, and with absolute rip-relative addresses."""
    text, _, note = operand_text.partition("#")
    text = text.partition(" <")[0].strip()
    if note and "[rip" in text:
        target = note.split(None, 1)[0]
        return _RIP.sub(f"[rip+0x{target}]", text) if _HEX.fullmatch(target) else text
    return text


def _flow(mnemonic: str) -> Flow:
    if mnemonic == "jmp":
        return Flow.JUMP
    if mnemonic[0] == "j" or mnemonic.startswith("loop"):
        return Flow.CONDITIONAL
    if mnemonic == "call":
        return Flow.CALL
    return Flow.RETURN if mnemonic.startswith("ret") else Flow.NEXT


def _branch(mnemonic: str, flow: Flow, operands: list[Operand]) -> Instruction:
    memory = next((o for o in operands if isinstance(o, Memory)), None)
    reads = [o.whole for o in operands if isinstance(o, Register)]
    if flow is Flow.CONDITIONAL:
        reads += ["rcx"] if "cxz" in mnemonic or mnemonic.startswith("loop") else [FLAGS]
    if flow is Flow.RETURN:
        return Instruction(
            mnemonic,
            ExecutionUnit.BRANCH,
            "branch",
            flow,
            ("rsp",),
            (),
            _STACK,
            loads=True,
            stack_bytes=8,
        )
    return Instruction(
        mnemonic,
        ExecutionUnit.BRANCH,
        "branch",
        flow,
        tuple(reads),
        (),
        memory,
        loads=memory is not None,
        stack_bytes=-8 if flow is Flow.CALL else 0,
    )


def _with_size(mnemonic: str, operands: list[Operand]) -> str:
    """Return a string instruction's name with its element size, from the name or an operand."""
    sizes = [o.size_bytes for o in operands if isinstance(o, Memory) and o.size_bytes]
    letters = {size: letter for letter, size in _ELEMENT_BYTES.items()}
    return mnemonic[:4] + letters.get(sizes[0] if sizes else 0, mnemonic[4:])


def _string(mnemonic: str, prefixes: set[str]) -> Instruction:
    repeats = bool(prefixes & {"rep", "repz", "repnz", "repe", "repne"})
    stores = mnemonic.startswith(("movs", "stos"))
    pointer = "rdi" if stores else "rsi"
    step = _ELEMENT_BYTES.get(mnemonic[4:5], 8)
    return Instruction(
        mnemonic,
        ExecutionUnit.NONE if repeats else ExecutionUnit.ALU,
        "integer",
        Flow.NEXT,
        (pointer,),
        () if repeats else (pointer,),
        Memory(pointer, "", 1, 0, step),
        loads=not mnemonic.startswith("stos"),
        stores=stores,
        moves=(pointer, pointer, step),
        repeats=repeats,
    )


def _stack(mnemonic: str, operands: list[Operand]) -> Instruction:
    if mnemonic == "leave":
        memory = Memory("rbp", "", 1, 0, 8)
        return Instruction(
            mnemonic,
            ExecutionUnit.NONE,
            "move",
            Flow.NEXT,
            ("rbp",),
            ("rsp", "rbp"),
            memory,
            loads=True,
        )
    registers = tuple(o.whole for o in operands if isinstance(o, Register))
    if mnemonic == "push":
        memory = Memory("rsp", "", 1, -8, 8)
        return Instruction(
            mnemonic,
            ExecutionUnit.NONE,
            "move",
            Flow.NEXT,
            registers,
            (),
            memory,
            stores=True,
            stack_bytes=-8,
        )
    return Instruction(
        mnemonic,
        ExecutionUnit.NONE,
        "move",
        Flow.NEXT,
        (),
        registers,
        _STACK,
        loads=True,
        stack_bytes=8,
    )


def _plain(mnemonic: str, operands: list[Operand], *, locked: bool) -> Instruction:
    first = operands[0] if operands else None
    memory = next((o for o in operands if isinstance(o, Memory)), None)
    compares = mnemonic in _COMPARES
    write_only = _writes_only(mnemonic, operands)
    reads, writes = _registers(mnemonic, operands, write_only=write_only)
    unit, timing = executed_by(mnemonic, operands)
    flags_read, flags_written = _flags(mnemonic, unit)
    touches = memory is not None and mnemonic not in ("lea", "nop") and "prefetch" not in mnemonic
    into_memory = touches and first is memory and not compares and not _only_reads(mnemonic)
    idle = mnemonic in ("nop", "endbr64") or _is_idiom(mnemonic, operands)
    return Instruction(
        mnemonic,
        ExecutionUnit.NONE if idle or _is_move(mnemonic, operands) else unit,
        "atomic" if locked or (mnemonic == "xchg" and touches) else "move" if idle else timing,
        Flow.NEXT,
        tuple(dict.fromkeys([*reads, FLAGS] if flags_read else reads)),
        tuple(dict.fromkeys([*writes, FLAGS] if flags_written else writes)),
        memory,
        loads=touches and not (into_memory and write_only),
        stores=into_memory,
        moves=_copied(mnemonic, operands),
        sets=_constant(mnemonic, operands),
    )


def _registers(
    mnemonic: str, operands: list[Operand], *, write_only: bool
) -> tuple[list[str], list[str]]:
    """Return the registers that an instruction reads and writes."""
    if mnemonic in _IMPLICIT:
        return list(_IMPLICIT[mnemonic][0]), list(_IMPLICIT[mnemonic][1])
    first = operands[0] if operands else None
    others = [o.whole for o in operands[1:] if isinstance(o, Register)]
    reads, writes = list(others), []
    if isinstance(first, Register):
        writes += [] if mnemonic in _COMPARES else [first.whole]
        reads += [] if write_only and first.size_bytes >= 4 else [first.whole]
    if mnemonic in ("xchg", "xadd"):
        writes += others
    if mnemonic in ("mul", "div", "idiv") or (mnemonic == "imul" and len(operands) == 1):
        reads += ["rax"] if "mul" in mnemonic else ["rax", "rdx"]
        writes = ["rax", "rdx"]
    if mnemonic.startswith("cmpxchg"):
        reads.append("rax")
        writes.append("rax")
    return ([] if _is_idiom(mnemonic, operands) else reads), writes


def _flags(mnemonic: str, unit: ExecutionUnit) -> tuple[bool, bool]:
    """Return whether an instruction reads the flags and whether it writes them."""
    if mnemonic in _COMPARES:
        return False, True
    if (
        unit not in (ExecutionUnit.ALU, ExecutionUnit.MULTIPLY, ExecutionUnit.DIVIDE)
        or mnemonic in _NO_FLAGS
    ):
        return False, False
    conditional = _CONDITION.fullmatch(mnemonic) is not None
    return conditional or mnemonic in ("adc", "sbb", "rcl", "rcr"), not conditional


def _only_reads(mnemonic: str) -> bool:
    """Return whether a memory operand in first position is a source."""
    return mnemonic in ("mul", "div", "idiv", "imul") or mnemonic.startswith(
        ("fld", "fild", "fadd", "fmul", "fcom", "fsub", "fdiv")
    )


def _writes_only(mnemonic: str, operands: list[Operand]) -> bool:
    if mnemonic in _WRITE_ONLY or mnemonic.startswith(
        ("set", "fst", "fist", "movnt", "kmov", "stmxcsr", "fnst")
    ):
        return True
    if mnemonic.startswith("v"):
        return not mnemonic.startswith(
            ("vfmadd", "vfnmadd", "vfmsub", "vfnmsub", "vpternlog", "vpdp")
        )
    if mnemonic == "imul":
        return len(operands) == 3
    if mnemonic in ("movss", "movsd", "movlps", "movhps", "movlpd", "movhpd"):
        whole = mnemonic in ("movss", "movsd")
        return not isinstance(operands[0], Register) or (whole and isinstance(operands[-1], Memory))
    return mnemonic.startswith(("mov", "pmov"))


def _is_idiom(mnemonic: str, operands: list[Operand]) -> bool:
    sources = operands[-2:]
    return (
        mnemonic in _IDIOMS
        and len(sources) == 2
        and isinstance(sources[0], Register)
        and sources[0] == sources[1]
        and sources[0].size_bytes >= 4
    )


def _is_move(mnemonic: str, operands: list[Operand]) -> bool:
    """Return whether a move needs no execution unit: between registers, from or to memory."""
    if not mnemonic.startswith(("mov", "vmov", "fld", "fst", "lddqu", "vlddqu")):
        return False
    if mnemonic.startswith(("movmsk", "vmovmsk")):
        return False
    registers = [o for o in operands if isinstance(o, Register)]
    if any(isinstance(o, Memory) for o in operands):
        return True
    if mnemonic in ("movzx", "movsx", "movsxd", "movss", "movsd") or any(
        isinstance(o, int) for o in operands
    ):
        return False
    return len({register.is_vector for register in registers}) == 1


def _copied(mnemonic: str, operands: list[Operand]) -> tuple[str, str, int] | None:
    """Return (target, source, added) if the instruction only adds a constant, else None."""
    first, last = (operands[0], operands[-1]) if operands else (None, None)
    if not isinstance(first, Register) or first.is_vector or first.size_bytes < 4:
        return None
    source = None
    if mnemonic in ("inc", "dec"):
        source = first.whole, 1 if mnemonic == "inc" else -1
    elif mnemonic in ("add", "sub") and isinstance(last, int):
        source = first.whole, last if mnemonic == "add" else -last
    elif mnemonic in ("mov", "movsxd") and isinstance(last, Register):
        source = last.whole, 0
    elif mnemonic == "lea" and isinstance(last, Memory) and last.base and not last.index:
        source = last.base, last.displacement
    return None if source is None else (first.whole, *source)


def _constant(mnemonic: str, operands: list[Operand]) -> tuple[str, int] | None:
    if len(operands) != 2 or not isinstance(operands[0], Register) or operands[0].is_vector:
        return None
    if _is_idiom(mnemonic, operands):
        return operands[0].whole, 0
    if mnemonic in ("mov", "movabs") and isinstance(operands[1], int):
        return operands[0].whole, operands[1]
    return None
