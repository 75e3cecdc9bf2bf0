"""The kind of each instruction."""

import pytest

from tests.topdown.slots.without_pmu.machine_code import START, x86
from topdown.slots.without_pmu.disassembly import Disassembler, FunctionCode
from topdown.slots.without_pmu.instruction_kinds import InstructionKind as Kind
from topdown.stacks.elf.file import EM_AARCH64, EM_X86_64


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("488b00", Kind.LOAD),  # mov rax, [rax]
        ("480300", Kind.LOAD),  # add rax, [rax]
        ("5b", Kind.LOAD),  # pop rbx
        ("488907", Kind.STORE),  # mov [rdi], rax
        ("53", Kind.STORE),  # push rbx
        ("488d4701", Kind.INTEGER),  # lea rax, [rdi + 1]
        ("f3480fb8c1", Kind.INTEGER),  # popcnt rax, rcx
        ("480fafc1", Kind.INTEGER),  # imul rax, rcx
        ("48f7f1", Kind.DIVISION),  # div rcx
        ("f20f5ec1", Kind.DIVISION),  # divsd xmm0, xmm1
        ("f20f51c1", Kind.DIVISION),  # sqrtsd xmm0, xmm1
        ("f20f59c1", Kind.FLOATING),  # mulsd xmm0, xmm1
        ("c5fd58c0", Kind.FLOATING),  # vaddpd ymm0, ymm0, ymm0
        ("f0488300 01".replace(" ", ""), Kind.ATOMIC),  # lock add [rax], 1
        ("488700", Kind.ATOMIC),  # xchg [rax], rax
        ("0f05", Kind.SYSTEM_CALL),  # syscall
        ("7400", Kind.BRANCH),  # je to the next
        ("e800000000", Kind.JUMP),  # call the next
        ("f390", Kind.PAUSE),  # pause
    ],
)
def test_x86_instructions_have_the_right_kind(code: str, kind: Kind) -> None:
    body, addresses = x86(code, "90")
    assert Disassembler(EM_X86_64).before(body, [addresses[1]])[addresses[1]].kind is kind


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        (0xF9400000, Kind.LOAD),  # ldr x0, [x0]
        (0xF9000001, Kind.STORE),  # str x1, [x0]
        (0xC85F7C00, Kind.ATOMIC),  # ldxr x0, [x0]
        (0xF8200000, Kind.ATOMIC),  # ldadd x0, x0, [x0]
        (0x9AC10800, Kind.DIVISION),  # udiv x0, x0, x1
        (0x1E611800, Kind.DIVISION),  # fdiv d0, d0, d1
        (0x4EE18400, Kind.FLOATING),  # add v0.2d, v0.2d, v1.2d
        (0x8B010000, Kind.INTEGER),  # add x0, x0, x1
        (0x54000040, Kind.BRANCH),  # b.eq
        (0xB4000040, Kind.BRANCH),  # cbz
        (0x94000000, Kind.JUMP),  # bl
        (0xD4000001, Kind.SYSTEM_CALL),  # svc 0
        (0xD503203F, Kind.PAUSE),  # yield
    ],
)
def test_arm64_instructions_have_the_right_kind(word: int, kind: Kind) -> None:
    nop = 0xD503201F
    code = FunctionCode(START, word.to_bytes(4, "little") + nop.to_bytes(4, "little"))
    assert Disassembler(EM_AARCH64).before(code, [START + 4])[START + 4].kind is kind
