"""Loads are resolved to the right field at all optimization levels, and never to a wrong one."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from topdown.data.accessed_fields import SampledLoad, sampled_loads
from topdown.data.load_kinds import LoadKind
from topdown.data.type_flow import STACK
from topdown.data.x86_operations import X86Decoder

SOURCE = Path(__file__).with_name("fields.c")
# The field that the function must be resolved to (none if that is not possible), and the other
# fields that its loads may be resolved to.
EXPECTED = {
    "walk": ({"order.next", "order.amount"}, set()),
    "nested": ({"order.due.month"}, set()),
    "through_pointer": ({"customer.first", "order.amount"}, set()),
    "element": ({"order.parts[]"}, set()),
    "array_of_structures": ({"customer.balance"}, set()),
    "global_structure": ({"customer.balance"}, set()),
    "global_array": ({"totals[]"}, set()),
    "alias": ({"point.y"}, set()),
    "after_header": (set(), {"payload.second_word"}),
    "container": (set(), {"customer.balance"}),
    "either": (set(), set()),
    "of_union": ({"number"}, {"number.whole"}),
    "untyped_bytes": (set(), set()),
}
COMPILERS = [compiler for compiler in ("gcc", "clang") if shutil.which(compiler)]
# What unoptimized code reads besides: its variables on the stack.
PLAIN = {"pointer", "int", "long int", "long", "double", "char", "long unsigned int", STACK}
PLAIN |= {"unsigned long", "uint64_t"}


class Program:
    """A compiled program: its functions, its code, and what its loads are resolved to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            elf = ELFFile(file)
            text = elf.get_section_by_name(".text")
            self.start, self.content = text["sh_addr"], text.data()
            symbols = elf.get_section_by_name(".symtab").iter_symbols()
            self.functions = {
                symbol.name: (symbol["st_value"], symbol["st_size"])
                for symbol in symbols
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"]
            }

    def code(self, address: int, length: int) -> bytes:
        offset = address - self.start
        return self.content[offset : offset + length]

    def loads(self, function: str) -> Iterator[SampledLoad]:
        start, size = self.functions[function]
        instructions = X86Decoder().instructions(self.code(start, size), start)
        addresses = [entry.address for entry in instructions if entry.reads_data]
        with self.path.open("rb") as file:
            yield from sampled_loads(file, self.code, addresses, after=False)


def resolved(program: Program, function: str) -> set[str]:
    return {load.field.text for load in program.loads(function) if load.field} - PLAIN


def compiled(tmp_path: Path, compiler: str, *options: str) -> Program:
    path = tmp_path / "program"
    subprocess.run([compiler, *options, str(SOURCE), "-o", str(path)], check=True)
    return Program(path)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_fields_are_right_at_each_optimization_level(
    tmp_path: Path, compiler: str, level: str
) -> None:
    program = compiled(tmp_path, compiler, "-g", level)
    for function, (required, allowed) in EXPECTED.items():
        fields = resolved(program, function)
        assert fields >= required, (function, fields)
        assert fields <= required | allowed, (function, fields)


def test_nothing_is_resolved_without_type_information(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O2")
    kinds = {load.kind for function in EXPECTED for load in program.loads(function)}
    assert kinds == {LoadKind.UNTYPED}


def test_the_time_of_a_timer_sample_is_that_of_the_instruction_before(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-g", "-O2")
    start, size = program.functions["nested"]
    instructions = list(X86Decoder().instructions(program.code(start, size), start))
    place = next(index for index, entry in enumerate(instructions) if entry.reads_data)
    load, following = instructions[place].address, instructions[place + 1].address
    with program.path.open("rb") as file:
        after = {
            sample.address: sample
            for sample in sampled_loads(file, program.code, [load, following], after=True)
        }
    assert after[following].field is not None
    assert after[following].field.text == "order.due.month"
    assert after[load].kind is LoadKind.OTHER


def test_a_function_whose_code_cannot_be_read_is_untyped(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-g", "-O2")
    start, size = program.functions["walk"]
    with program.path.open("rb") as file:
        loads = list(sampled_loads(file, lambda *_: b"", [start, start + size - 1], after=False))
    assert {load.kind for load in loads} == {LoadKind.UNTYPED}
