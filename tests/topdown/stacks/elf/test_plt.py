"""Symbols of PLT entries."""

from stallscope.regular_file import open_regular
from tests.topdown.stacks.elf.built import all_names
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.elf.symbols import symbol_table


def test_a_stripped_file_has_symbols_for_its_entry_and_plt(programs):
    with open_regular(programs.stripped) as file:
        names = all_names(symbol_table(ElfFile(file)))
    assert "_start" in names
    assert "printf@plt" in names or "__printf_chk@plt" in names
