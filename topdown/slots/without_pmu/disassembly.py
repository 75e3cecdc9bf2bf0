"""Which instruction was done before an address was reached, by a disassembler.

A clock's interrupt is taken between two instructions: the address in a sample is that of the next
to run, and what time went into is the one before. Where a jump leads to the address too, both are
asked; where they are of different kinds there is no answer. Jumps through registers are not known:
code that falls into their targets is taken as having fallen there.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from topdown.slots.without_pmu.instruction_kinds import InstructionKind, arm64_kind, x86_kind
from topdown.stacks.elf.file import EM_AARCH64, EM_X86_64

_KIND_OF = {EM_X86_64: x86_kind, EM_AARCH64: arm64_kind}
_NEVER_FALL = ("jmp", "ret", "b", "br", "ud2", "hlt")
_LONGEST_INSTRUCTION_BYTES = 16
_TEXT_AT_MOST = 120


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its kind, and its text as a disassembler writes it."""

    kind: InstructionKind
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """The bytes of one function, and the address of the first."""

    start: int
    content: bytes


_BY_CALL = Instruction(InstructionKind.JUMP, "(a call)")
_BY_JUMP = Instruction(InstructionKind.JUMP, "(a jump through a register)")


class Disassembler:
    """Decodes code of x86-64 and arm64 by capstone, 2 us an instruction."""

    def __init__(self, machine: int) -> None:
        """Load capstone, some 80 ms; ``machine`` is the file's e_machine, see ``decodes``."""
        import capstone  # noqa: PLC0415 - by who decodes

        modes = {
            EM_X86_64: (capstone.CS_ARCH_X86, capstone.CS_MODE_64),
            EM_AARCH64: (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
        }
        self._kind_of = _KIND_OF[machine]
        self._quick, self._detailed = (capstone.Cs(*modes[machine]) for _ in range(2))
        self._quick.skipdata = True
        self._detailed.detail = True

    @staticmethod
    def decodes(machine: int) -> bool:
        """Return whether code of this machine can be decoded."""
        return machine in _KIND_OF

    def before(self, code: Code, addresses: list[int]) -> dict[int, Instruction]:
        """Return the instruction that was done before each of these addresses was reached.

        Left out are addresses where instructions of different kinds may have been, and those at
        which no instruction begins.
        """
        order, names, jumps = self._walk(code)
        places = {address: index for index, address in enumerate(order)}
        found: dict[int, Instruction] = {}
        for address in addresses:
            index = places.get(address)
            if index is None:
                continue
            froms = list(jumps.get(address, ()))
            if index > 0 and names[index - 1] not in _NEVER_FALL:
                froms.insert(0, order[index - 1])
            candidates = [self._decode(code, place) for place in froms]
            if not candidates:
                candidates = [_BY_JUMP if index else _BY_CALL]
            if len({one.kind for one in candidates if one is not None}) == 1 and candidates[0]:
                found[address] = candidates[0]
        return found

    def _walk(self, code: Code) -> tuple[list[int], list[str], dict[int, list[int]]]:
        """Return where instructions begin, their names, and the jumps to each address."""
        order: list[int] = []
        names: list[str] = []
        jumps: defaultdict[int, list[int]] = defaultdict(list)
        for address, _, name, operands in self._quick.disasm_lite(code.content, code.start):
            order.append(address)
            names.append(name)
            target = _target(name, operands)
            if target is not None:
                jumps[target].append(address)
        return order, names, jumps

    def _decode(self, code: Code, address: int) -> Instruction | None:
        at = address - code.start
        content = code.content[at : at + _LONGEST_INSTRUCTION_BYTES]
        for one in self._detailed.disasm(content, address, count=1):
            decoded: Any = one
            text = f"{decoded.mnemonic} {decoded.op_str}".strip()
            return Instruction(self._kind_of(decoded), text[:_TEXT_AT_MOST])
        return None


def _target(name: str, operands: str) -> int | None:
    """Return where a direct jump leads; None of what is none. Calls come back: they are none."""
    if not (name[0] in "jb" or name.startswith(("loop", "cb", "tb"))) or name in ("bl", "blr"):
        return None
    word = operands.rpartition(" ")[2].removeprefix("#")
    try:
        return int(word, 16) if word.startswith("0x") else None
    except ValueError:
        return None
