"""The instruction that completed before a sampled address, found by disassembly.

A timer interrupt arrives between two instructions: the sampled address is that of the next one, and
the time was spent in the one before. If a jump also leads to the address, both predecessors are
decoded; if their kinds differ, there is no result. Jumps through registers are not followed: code
at their targets is assumed to be reached by fall-through.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from topdown.slots.without_pmu.instruction_kinds import InstructionKind, arm64_kind, x86_kind
from topdown.stacks.elf.file import EM_AARCH64, EM_X86_64

_KIND_OF = {EM_X86_64: x86_kind, EM_AARCH64: arm64_kind}
_NEVER_FALL = ("jmp", "ret", "b", "br", "ud2", "hlt")
_MAX_INSTRUCTION_BYTES = 16
_MAX_TEXT_CHARS = 120


@dataclass(frozen=True, slots=True)
class DecodedInstruction:
    """The kind of an instruction and its disassembled text."""

    kind: InstructionKind
    text: str


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """The bytes of a function and the address of the first byte."""

    start: int
    content: bytes


_BY_CALL = DecodedInstruction(InstructionKind.JUMP, "(a call)")
_BY_JUMP = DecodedInstruction(InstructionKind.JUMP, "(a jump through a register)")


class Disassembler:
    """Decodes x86-64 and arm64 code with capstone, 2 us per instruction."""

    def __init__(self, machine: int) -> None:
        """Load capstone, about 80 ms; ``machine`` is an e_machine for which ``decodes`` is true."""
        import capstone  # noqa: PLC0415 - loaded only to decode

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

    def before(self, code: FunctionCode, addresses: list[int]) -> dict[int, DecodedInstruction]:
        """Return the instruction that completed before each address.

        Addresses with possible predecessors of different kinds are left out, and addresses at
        which no instruction begins.
        """
        order, names, jumps = self._walk(code)
        places = {address: index for index, address in enumerate(order)}
        instructions: dict[int, DecodedInstruction] = {}
        for address in addresses:
            index = places.get(address)
            if index is None:
                continue
            predecessors = list(jumps.get(address, ()))
            if index > 0 and names[index - 1] not in _NEVER_FALL:
                predecessors.insert(0, order[index - 1])
            candidates = [self._decode(code, predecessor) for predecessor in predecessors]
            if not candidates:
                candidates = [_BY_JUMP if index else _BY_CALL]
            kinds = {candidate.kind for candidate in candidates if candidate is not None}
            if len(kinds) == 1 and candidates[0]:
                instructions[address] = candidates[0]
        return instructions

    def _walk(self, code: FunctionCode) -> tuple[list[int], list[str], dict[int, list[int]]]:
        """Return instruction addresses, their mnemonics, and the jumps to each address."""
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

    def _decode(self, code: FunctionCode, address: int) -> DecodedInstruction | None:
        offset = address - code.start
        content = code.content[offset : offset + _MAX_INSTRUCTION_BYTES]
        for instruction in self._detailed.disasm(content, address, count=1):
            decoded: Any = instruction
            text = f"{decoded.mnemonic} {decoded.op_str}".strip()
            return DecodedInstruction(self._kind_of(decoded), text[:_MAX_TEXT_CHARS])
        return None


def _target(name: str, operands: str) -> int | None:
    """Return the target of a direct jump, or None for other instructions. A call is not a jump."""
    if not (name[0] in "jb" or name.startswith(("loop", "cb", "tb"))) or name in ("bl", "blr"):
        return None
    word = operands.rpartition(" ")[2].removeprefix("#")
    try:
        return int(word, 16) if word.startswith("0x") else None
    except ValueError:
        return None
