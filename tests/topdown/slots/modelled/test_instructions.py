"""What x86-64 instructions read, write and wait for, by objdump's text."""

import pytest

from topdown.slots.modelled.instructions import FLAGS, Flow, decode


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("add    rax,rbx", {"rax", "rbx"}, {"rax", FLAGS}),
        ("mov    rax,rbx", {"rbx"}, {"rax"}),
        ("xor    eax,eax", set(), {"rax", FLAGS}),
        ("sub    al,al", {"rax"}, {"rax", FLAGS}),
        ("mov    al,bl", {"rax", "rbx"}, {"rax"}),
        ("cmp    r8d,0x5", {"r8"}, {FLAGS}),
        ("div    rcx", {"rcx", "rax", "rdx"}, {"rax", "rdx", FLAGS}),
        ("imul   rax,rbx,0x10", {"rbx"}, {"rax", FLAGS}),
        ("cmovle eax,edx", {"rax", "rdx", FLAGS}, {"rax"}),
        ("setne  al", {"rax", FLAGS}, {"rax"}),
        ("adc    rax,rbx", {"rax", "rbx", FLAGS}, {"rax", FLAGS}),
        ("xchg   rax,rbx", {"rax", "rbx"}, {"rax", "rbx"}),
        ("cqo", {"rax"}, {"rdx"}),
        ("addsd  xmm0,xmm1", {"v0", "v1"}, {"v0"}),
        ("vaddpd ymm0,ymm1,ymm2", {"v1", "v2"}, {"v0"}),
        ("vfmadd231pd ymm0,ymm1,ymm2", {"v0", "v1", "v2"}, {"v0"}),
        ("cvtsi2sd xmm0,eax", {"v0", "rax"}, {"v0"}),
        ("pxor   xmm3,xmm3", set(), {"v3"}),
        ("ucomisd xmm0,xmm1", {"v0", "v1"}, {FLAGS}),
        ("jne    1000 <_Zevil, rax+0x50>", {FLAGS}, set()),
        ("nop    WORD PTR cs:[rax+rax*1+0x0]", set(), set()),
    ],
)
def test_registers(text: str, reads: set[str], writes: set[str]) -> None:
    result = decode(text)
    assert (set(result.reads), set(result.writes)) == (reads, writes)


@pytest.mark.parametrize(
    ("text", "loads", "stores"),
    [
        ("mov    rax,QWORD PTR [rbx+rcx*8+0x10]", True, False),
        ("mov    QWORD PTR [rsp-0x8],rax", False, True),
        ("add    DWORD PTR [rax],0x1", True, True),
        ("cmp    BYTE PTR [rax],0x0", True, False),
        ("lea    rax,[rbx+rbx*2]", False, False),
        ("push   rbp", False, True),
        ("pop    rbp", True, False),
        ("ret", True, False),
        ("call   QWORD PTR [rax+0x10]", True, False),
        ("movsd  QWORD PTR [rax],xmm0", False, True),
        ("lock xadd DWORD PTR [rdi],eax", True, True),
        ("rep stos QWORD PTR es:[rdi],rax", False, True),
        ("rep movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]", True, True),
        ("prefetcht0 [rax]", False, False),
        ("fld    QWORD PTR [rax]", True, False),
    ],
)
def test_memory(text: str, loads: bool, stores: bool) -> None:
    result = decode(text)
    assert (result.loads, result.stores) == (loads, stores)


@pytest.mark.parametrize(
    ("text", "flow"),
    [
        ("jmp    1000 <f>", Flow.JUMP),
        ("notrack jmp rax", Flow.JUMP),
        ("ja     1000 <f>", Flow.CONDITIONAL),
        ("bnd call 1000 <f>", Flow.CALL),
        ("repz ret", Flow.RETURN),
        ("add    rax,rbx", Flow.NEXT),
    ],
)
def test_each_instruction_has_its_control_flow(text: str, flow: Flow) -> None:
    assert decode(text).flow is flow


def test_known_values_are_tracked() -> None:
    assert decode("add    rbx,0x10").moves == ("rbx", "rbx", 16)
    assert decode("dec    rcx").moves == ("rcx", "rcx", -1)
    assert decode("lea    rax,[rbx-0x8]").moves == ("rax", "rbx", -8)
    assert decode("lea    rax,[rbx+rcx*1]").moves is None
    assert decode("xor    edx,edx").sets == ("rdx", 0)
    assert decode("mov    r9d,0x1505").sets == ("r9", 0x1505)
    assert decode("push   rax").stack_bytes == -8
