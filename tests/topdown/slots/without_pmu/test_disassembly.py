"""The instruction before a sampled address, in code with known results."""

from tests.topdown.slots.without_pmu.machine_code import START, x86
from topdown.slots.without_pmu.disassembly import Disassembler, FunctionCode
from topdown.slots.without_pmu.instruction_kinds import InstructionKind as Kind
from topdown.stacks.elf.file import EM_ARM, EM_X86_64


def test_predecessors_of_different_kinds_give_no_result() -> None:
    # mov rax, [rax]; add rcx, rdx; jne back to the addition; ret
    code, addresses = x86("488b00", "4801d1", "75fb", "c3")
    before = Disassembler(EM_X86_64).before(code, addresses)
    assert addresses[1] not in before
    assert before[addresses[2]].text == "add rcx, rdx"


def test_predecessors_of_the_same_kind_give_a_result() -> None:
    # jne to the next; add rcx, rdx; jne back to the addition
    code, addresses = x86("7500", "4801d1", "75fb")
    assert Disassembler(EM_X86_64).before(code, [addresses[1]])[addresses[1]].kind is Kind.BRANCH


def test_code_after_an_unconditional_jump_is_not_reached_by_fall_through() -> None:
    # jmp away; nop, reached by a register alone
    code, addresses = x86("eb01", "90", "c3")
    assert Disassembler(EM_X86_64).before(code, [addresses[1]])[addresses[1]].kind is Kind.JUMP


def test_the_first_instruction_of_a_function_follows_a_call() -> None:
    code, addresses = x86("90")
    assert Disassembler(EM_X86_64).before(code, addresses)[addresses[0]].kind is Kind.JUMP


def test_an_address_within_an_instruction_gives_no_result() -> None:
    code, addresses = x86("488b00", "90")
    assert Disassembler(EM_X86_64).before(code, [addresses[0] + 1]) == {}


def test_invalid_bytes_do_not_stop_decoding() -> None:
    code = FunctionCode(START, b"\x06\x07" * 40 + bytes.fromhex("488b0090"))
    address = START + 80 + 3
    assert Disassembler(EM_X86_64).before(code, [address])[address].kind is Kind.LOAD


def test_unsupported_architectures_are_reported() -> None:
    assert Disassembler.decodes(EM_X86_64)
    assert not Disassembler.decodes(EM_ARM)
