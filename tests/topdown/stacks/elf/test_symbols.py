"""Symbols of ELF files."""

from pathlib import Path

import numpy as np
import pytest

from stallscope.regular_file import MemoryImage, open_regular
from tests.topdown.stacks.elf.built import all_names, tiny_elf
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.elf.symbols import symbol_table


def test_build_id_and_symbols_agree_with_binutils(programs, made):
    with open_regular(programs.full) as file:
        elf = ElfFile(file)
        assert elf.build_id == programs.build_id
        table = symbol_table(elf)
    expected = made.symbol_addresses(programs.full)
    for name in ("main", "plain", "_ZN4shop5outerEi", "_ZL6hiddeni", "_start"):
        group = table.look_up(np.array([expected[name]], np.uint64))
        assert table.names(group) == [name.encode()]


def test_a_debug_file_provides_symbols_for_a_stripped_file(programs):
    with open_regular(programs.stripped) as main, open_regular(programs.debug) as debug:
        assert "_ZL6hiddeni" not in all_names(symbol_table(ElfFile(main)))
        assert "_ZL6hiddeni" in all_names(symbol_table(ElfFile(main), ElfFile(debug)))


def test_packed_symbols_of_minidebuginfo_are_read(programs, tmp_path: Path, made):
    import lzma

    packed, target = tmp_path / "packed.xz", tmp_path / "mini"
    packed.write_bytes(lzma.compress(programs.full.read_bytes()))
    made.run("objcopy", f"--add-section=.gnu_debugdata={packed}", programs.stripped, target)
    with open_regular(target) as file:
        assert "_ZL6hiddeni" in all_names(symbol_table(ElfFile(file)))


@pytest.mark.parametrize(("is_64", "order"), [(True, "<"), (True, ">"), (False, "<"), (False, ">")])
def test_both_widths_and_byte_orders_are_read(is_64: bool, order: str):
    table = symbol_table(ElfFile(MemoryImage("made", tiny_elf(is_64=is_64, order=order))))
    group = table.look_up(np.array([0x1005], np.uint64))
    assert table.names(group) == [b"walk"]
