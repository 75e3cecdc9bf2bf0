"""Functions at addresses that a text names, compared with addr2line as stackcollapse-perf uses it."""

import os
import re
import shutil
from pathlib import Path

import pytest

from topdown.stacks.formats.perf_script import FoldedNames, fold_perf_script
from topdown.stacks.symbols.address_functions import (
    TextAddress,
    read_functions,
    without_arguments,
)
from topdown.stacks.symbols.sources import SymbolSources

PROGRAM = """
namespace sums {
template <class T> struct box {
  T value;
  __attribute__((always_inline)) T times(int n) const { T s = 0; while (n--) s += value * n; return s; }
};
__attribute__((noinline)) long work(volatile int* p, int n) {
  box<long> wide{*p};
  box<int> narrow{*p};
  return wide.times(n) + narrow.times(n);
}
}
static __attribute__((noinline)) long local(volatile int* p) { return sums::work(p, 3000) + 1; }
int main(int count, char**) { volatile int x = count; return local(&x) & 1; }
"""
SOURCES = SymbolSources(debug_directories=())


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, made) -> Path:
    """A program that is linked at another address than its offset in the file."""
    if shutil.which("g++") is None:
        pytest.skip("needs the program g++")
    source = tmp_path_factory.mktemp("program") / "program.cc"
    source.write_text(PROGRAM)
    link = ("-pie", "-fPIE", "-Wl,-Ttext-segment=0x10000")
    made.run("g++", "-O1", "-g", *link, source, "-o", source.with_suffix(""))
    return source.with_suffix("")


def symbol(program: Path, name: str, made) -> tuple[int, int]:
    rows = [row.split() for row in made.run("nm", "-S", program).splitlines()]
    start, size = next((row[0], row[1]) for row in rows if row[-1] == name and len(row) == 4)
    return int(start, 16), int(size, 16)


def addr2line_names(program: Path, address: int, made) -> tuple[str, ...]:
    text = made.run("addr2line", "-a", "-i", "-f", "-s", "-C", "-e", program, hex(address))
    return tuple(reversed(text.splitlines()[1::2]))


def names_at(program: Path, addresses: list[TextAddress]) -> dict[int, tuple[str, ...]]:
    functions = read_functions({os.fsencode(program): dict(enumerate(addresses))}, SOURCES)
    assert not functions.warning
    return functions.names


def test_addresses_of_the_file_have_the_names_of_addr2line(program: Path, made) -> None:
    start, size = symbol(program, "_ZN4sums4workEPVii", made)
    addresses = list(range(start, start + size, 7))
    names = names_at(program, [TextAddress(place, b"[unknown]", None) for place in addresses])
    expected = [addr2line_names(program, place, made) for place in addresses]
    assert [names[number] for number in range(len(addresses))] == expected
    assert len({name for row in expected for name in row}) == 3


@pytest.mark.parametrize("name", [b"_ZN4sums4workEPVii", b"sums::work"])
def test_the_symbol_and_its_offset_precede_the_address(program: Path, name: bytes, made) -> None:
    start, _ = symbol(program, "_ZN4sums4workEPVii", made)
    mapped = [TextAddress(0x7F00_0000_0000 + offset, name, offset) for offset in (0, 20)]
    names = names_at(program, [*mapped, TextAddress(start - 0x10000, name, 20)])
    assert names[0] == addr2line_names(program, start, made)
    assert names[1] == names[2] == addr2line_names(program, start + 20, made)


def test_addresses_outside_the_file_keep_the_names_of_the_text(program: Path) -> None:
    outside = [TextAddress(0x7F00_0000_0000, b"other", 4), TextAddress(5, b"[unknown]", None)]
    assert names_at(program, outside) == {}


def test_a_file_that_is_missing_or_no_program_is_named_in_a_warning(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    address = TextAddress(1, b"f", 1)
    paths = [tmp_path / "text", tmp_path / "missing", tmp_path]
    files = {os.fsencode(path): {number: address} for number, path in enumerate(paths)}
    functions = read_functions(files, SOURCES)
    assert functions.names == {}
    assert functions.warning.startswith("3 addresses keep the names of the text: ")
    assert all(str(path) in functions.warning for path in paths)


def test_folded_text_has_the_functions_of_the_debug_information(program: Path, made) -> None:
    start, size = symbol(program, "_ZN4sums4workEPVii", made)
    text = [b"# a text\n"]
    stacks: dict[str, int] = {}
    for offset in range(0, size, 5):
        names = addr2line_names(program, start + offset, made)
        text.append(
            b"prog 1/1 1.0: 3 cycles:\n\t%x sums::work+0x%x (%s)\n"
            % (start + offset, offset, os.fsencode(program))
        )
        text.append(b"\t5 gone+0x3 (/no/file)\n\t7 g->h ([nf])\n\n")
        stack = ";".join(["prog", "g", "h_[i]", "gone", *names])
        stacks[stack] = stacks.get(stack, 0) + 3
    file = tmp_file(program, b"".join(text))
    folded, warning = fold_perf_script(file, "perf.txt", FoldedNames(inline=True))
    rows = dict(row.rsplit(" ", 1) for row in folded.decode().splitlines())
    assert {stack: int(count) for stack, count in rows.items()} == stacks
    assert len(stacks) == 3
    assert re.fullmatch("1 addresses keep the names of the text: /no/file: .*", warning)


def test_frames_that_perf_expanded_are_not_expanded_again(program: Path, made) -> None:
    start, _ = symbol(program, "_ZN4sums4workEPVii", made)
    path = os.fsencode(program)
    text = b"prog 1/1 1.0: 3 cycles:\n\t%x times+0x14 (inlined)\n\t%x sums::work+0x14 (%s)\n\n"
    file = tmp_file(program, text % (start + 20, start + 20, path))
    folded, warning = fold_perf_script(file, "perf.txt", FoldedNames(inline=True))
    assert folded == b"prog;sums::work;times 3\n"
    assert "1 frames keep the inlined functions of the text" in warning


def tmp_file(program: Path, text: bytes) -> Path:
    file = program.with_name("perf.txt")
    file.write_bytes(text)
    return file


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("ns::f(int (*)(char), (anonymous namespace)::x)", "ns::f"),
        ("f<void (int)>::g(int) const", "f<void (int)>::g"),
        ("main", "main"),
        ("(anonymous namespace)", "(anonymous namespace)"),
    ],
)
def test_arguments_of_a_demangled_name_are_removed(name: str, short: str) -> None:
    assert without_arguments(name) == short
