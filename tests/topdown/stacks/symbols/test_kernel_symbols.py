"""Tests of `topdown/stacks/symbols/kernel_symbols.py`: which list names the kernel's functions."""

import numpy as np

from topdown.stacks.symbols.kernel_symbols import read_kernel_symbols

BASE = 0xFFFFFFFF81000000


def test_the_recorded_list_names_an_address(sources) -> None:
    symbols = read_kernel_symbols(None, sources)
    assert (symbols.hidden, symbols.warning) == (False, None)
    assert symbols.table.look_up(np.array([BASE + 0x110, 16], np.uint64)).tolist()[1] == -1
    group = int(symbols.table.look_up(np.array([BASE + 0x110], np.uint64))[0])
    assert int(symbols.table.start[group]) == BASE + 0x100


def test_hidden_addresses_are_a_warning_with_a_remedy(sources) -> None:
    (sources.recording / "kallsyms").write_bytes(b"0000000000000000 T _stext\n" * 3)
    symbols = read_kernel_symbols(None, sources)
    assert symbols.hidden
    assert symbols.warning is not None
    assert "kptr_restrict=0" in symbols.warning.message


def test_a_list_with_too_many_lines_is_refused(sources) -> None:
    (sources.recording / "kallsyms").write_bytes(b"\n" * ((1 << 20) + 1))
    symbols = read_kernel_symbols(None, sources)
    assert not len(symbols.table)
    assert symbols.warning is not None
    assert "more than 1,048,576 lines" in symbols.warning.message


def test_the_live_list_of_another_boot_is_not_used(sources) -> None:
    (sources.recording / "kallsyms").unlink()
    symbols = read_kernel_symbols(None, sources)
    assert not len(symbols.table)
    assert symbols.warning is not None
    assert "another one" in symbols.warning.message
