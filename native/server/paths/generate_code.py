"""Writes the assembler text of the codec path's synthetic code.

To be run as generate_code.py x86_64|aarch64 FILE.

Functions of 13 KB, in cache lines of 64 bytes. A call makes its way through most of a function's
lines. At every third step there are two lines that do different things, and what was computed
chooses between them, one in four times against the branch predictor's guess. All lines of a
function lie in random order. So neither the next line nor the predicted way is surely what is
needed next, as in real code that looks at its input, and a line that the instruction cache lacks
is waited for. At the end of every KB the code returns if the requested number of KB has run.

What the lines compute is the same on both architectures, and depends on nothing but SEED. C++ of
this size takes a hundred times as long to compile as this takes to assemble.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 416
KB = 2054
FUNCTION_KB = 13
STEPS_A_KB = 12  # eight of one line, four of two: 16 lines
OPERATIONS = 10
RARE_BITS = 0b11  # that these are all zero is rare: one in four


@dataclass(frozen=True, slots=True)
class Machine:
    """An architecture's words for what the lines do."""

    registers: tuple[str, str, str]
    tested: tuple[str, str, str]  # the lower halves of the registers
    operations: dict[str, str]
    test: str
    rarely: str
    always: str
    leave: str
    word: str
    fill: int  # byte behind the last instruction of a line; a disassembler does not misread it
    unwind: str
    frame: str


X86 = Machine(
    registers=("rax", "r8", "r9"),
    tested=("eax", "r8d", "r9d"),
    operations={
        "add_number": "add ${number}, %{to}",
        "add": "add %{other}, %{to}",
        "subtract": "sub %{other}, %{to}",
        "exclusive_or": "xor %{other}, %{to}",
        "rotate": "ror ${shift}, %{to}",
        "add_fourfold": "lea (%{to},%{other},4), %{to}",
    },
    test="test ${bits}, %{register}",
    rarely="je {line}",
    always="jmp {line}",
    leave="dec %edx\n  je {line}",
    word=".quad",
    fill=0xCC,  # int3
    unwind="  .cfi_def_cfa %rbp, 16\n  .cfi_offset %rbp, -16",
    frame="""
  .globl stallscope_codec_run
  .type stallscope_codec_run, @function
stallscope_codec_run:  # (three words of state, an entry, how many KB)
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov (%rdi), %rax
  mov 8(%rdi), %r8
  mov 16(%rdi), %r9
  jmp *%rsi
finish:
  mov %rax, (%rdi)
  mov %r8, 8(%rdi)
  mov %r9, 16(%rdi)
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size stallscope_codec_run, . - stallscope_codec_run""",
)

ARM = Machine(
    registers=("x4", "x5", "x6"),
    tested=("w4", "w5", "w6"),
    operations={
        "add_number": "add {to}, {to}, #{number}",
        "add": "add {to}, {to}, {other}",
        "subtract": "sub {to}, {to}, {other}",
        "exclusive_or": "eor {to}, {to}, {other}",
        "rotate": "ror {to}, {to}, #{shift}",
        "add_fourfold": "add {to}, {to}, {other}, lsl #2",
    },
    test="tst {register}, #{bits}",
    rarely="b.eq {line}",
    always="b {line}",
    leave="sub w2, w2, #1\n  cbz w2, {line}",
    word=".xword",
    fill=0,
    unwind="  .cfi_def_cfa x29, 16\n  .cfi_offset x29, -16\n  .cfi_offset x30, -8",
    frame="""
  .globl stallscope_codec_run
  .type stallscope_codec_run, %function
stallscope_codec_run:
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  mov x29, sp
  ldp x4, x5, [x0]
  ldr x6, [x0, #16]
  br x1
finish:
  stp x4, x5, [x0]
  str x6, [x0, #16]
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  ret
  .cfi_endproc
  .size stallscope_codec_run, . - stallscope_codec_run""",
)


def assembler_text(machine: Machine) -> Iterator[str]:
    """Return the lines of the assembler file."""
    chance = random.Random(SEED)  # noqa: S311
    yield "  .text"
    yield machine.frame
    steps = FUNCTION_KB * STEPS_A_KB
    for function in range(KB // FUNCTION_KB):
        name = f"codec_synthetic_{function:02}"
        yield f"  .p2align 6\n  .type {name}, %function\n{name}:\n  .cfi_startproc"
        yield machine.unwind
        order = [
            (function * steps + step, version)
            for step in range(steps)
            for version in range(versions(step))
        ]
        chance.shuffle(order)
        for step, version in order:
            yield from line_text(machine, chance, step, version)
        yield f".Lfinish_{function}:\n  " + machine.always.format(line="finish")
        yield f"  .cfi_endproc\n  .size {name}, . - {name}"
    yield f"{label(KB * STEPS_A_KB, 0)}:\n  " + machine.always.format(line="finish")
    yield from table_text(machine)


def table_text(machine: Machine) -> Iterator[str]:
    """Return the table of where each KB begins."""
    yield '  .section .data.rel.ro, "aw"\n  .p2align 3\n  .globl stallscope_codec_entries'
    yield "  .type stallscope_codec_entries, %object\nstallscope_codec_entries:"
    for kb in range(KB):
        yield f"  {machine.word} {label(kb * STEPS_A_KB, 0)}"
    yield "  .size stallscope_codec_entries, . - stallscope_codec_entries"
    yield '  .section .note.GNU-stack, "", %progbits'


def versions(step: int) -> int:
    """Return how many lines a step has."""
    return 2 if step % 3 == 1 else 1


def label(step: int, version: int) -> str:
    """Return the label of a line."""
    return f".Lline_{step}_{version}"


def line_text(machine: Machine, chance: random.Random, step: int, version: int) -> Iterator[str]:
    """Return one line of code; .org refuses one that is longer than a cache line."""
    chooses = versions(step + 1) == 2
    ends_kb = step % STEPS_A_KB == STEPS_A_KB - 1
    yield f"{label(step, version)}:"
    for _ in range(OPERATIONS):
        yield "  " + operation(machine, chance)
    if ends_kb:
        yield "  " + machine.leave.format(line=f".Lfinish_{step // (FUNCTION_KB * STEPS_A_KB)}")
    if chooses:
        yield "  " + machine.test.format(
            bits=RARE_BITS << chance.randrange(24), register=chance.choice(machine.tested)
        )
        yield "  " + machine.rarely.format(line=label(step + 1, 1 - version))
    yield "  " + machine.always.format(line=label(step + 1, version if chooses else 0))
    yield f"  .org {label(step, version)} + 64, {machine.fill:#x}"


def operation(machine: Machine, chance: random.Random) -> str:
    """Return one instruction that changes a register."""
    to, other = chance.sample(range(3), 2)
    number = chance.randrange(1, 128)
    return machine.operations[chance.choice(list(X86.operations))].format(
        to=machine.registers[to],
        other=machine.registers[other],
        number=number,
        shift=number % 63 + 1,
    )


def main() -> None:
    """Write the file that the command line names."""
    machine = {"x86_64": X86, "aarch64": ARM}[sys.argv[1]]
    Path(sys.argv[2]).write_text("\n".join(assembler_text(machine)) + "\n")


if __name__ == "__main__":
    main()
