"""Functions from unwind tables."""

import numpy as np

from stallscope.regular_file import open_regular
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.elf.symbols import symbol_table


def test_functions_without_symbols_come_from_unwind_tables(programs, made):
    start = made.symbol_addresses(programs.full)["_ZL6hiddeni"]
    with open_regular(programs.stripped) as file:
        table = symbol_table(ElfFile(file))
    group = table.look_up(np.array([start + 1], np.uint64))
    assert int(table.start[group[0]]) == start
    assert table.names(group) == [b""]
