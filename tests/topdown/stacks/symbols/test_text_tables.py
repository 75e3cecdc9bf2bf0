"""Parsing of kallsyms and JIT maps, compared with a loop over lines."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.stacks.symbol_names import names_at
from topdown.stacks.symbols.text_tables import jit_symbols, kernel_table, module_of

KALLSYMS = b"""\
ffffffff81000000 T _stext
ffffffff81000100 t local_one
ffffffff81000200 T global_one
ffffffff81000200 t alias_of_it
ffffffff81000300 D some_data
ffffffff81000400 W weak_one
ffffffffc0000000 t module_start\t[ext4]
broken line
ffffffffc0000100 T module_more\t[ext4]
"""


def jit_names_at(text: bytes, *addresses: int, block: int = 1 << 20) -> list[str | None]:
    unique = np.unique(np.array(addresses, np.uint64))
    lines = text.splitlines(keepends=True)
    blocks = [b"".join(lines[at : at + block]) for at in range(0, len(lines), block)]
    symbols = jit_symbols(blocks, unique)
    groups = symbols.group[np.searchsorted(unique, np.array(addresses, np.uint64))]
    return [
        symbols.table.names(np.array([g]))[0].decode() if g >= 0 else None for g in groups.tolist()
    ]


def test_kernel_symbols_extend_to_the_next_text_symbol():
    table, hidden = kernel_table(KALLSYMS)
    assert not hidden
    base = 0xFFFFFFFF81000000
    assert names_at(table, base - 1, base, base + 0x1FF, base + 0x2FF, base + 0x3FF) == [
        None, "_stext", "local_one", "alias_of_it", "alias_of_it",
    ]  # fmt: skip
    group = table.look_up(np.array([0xFFFFFFFFC0000010, base], np.uint64))
    assert [module_of(table, int(g)) for g in group] == [b"ext4", b""]


def test_hidden_kernel_addresses_differ_from_missing_ones():
    hidden = b"".join(b"0000000000000000 T f%d\n" % i for i in range(5))
    assert kernel_table(hidden)[1]
    assert not kernel_table(b"")[1]
    assert not kernel_table(b"garbage\n\n\xff\n")[1]


def test_names_in_a_jit_map_may_contain_spaces_and_prefixes():
    text = b"1000 10 LazyCompile:~f /a b.js:1\n0x2000 0x20 g\nzz 1 no\n3000 0 empty\n\n1 2\n"
    assert jit_names_at(text, 0x1000, 0x100F, 0x1010, 0x2000, 0x3000) == [
        "LazyCompile:~f /a b.js:1", "LazyCompile:~f /a b.js:1", None, "g", None,
    ]  # fmt: skip


def test_malformed_maps_are_parsed_without_error():
    for text in (
        b"",
        b"\n",
        b"\0" * 100,
        b"f" * 100 + b" 1 a\n",
        b"1 " + b"f" * 100 + b" a\n",
        b"1 1 ",
        b"0x",
        b"0x 0x 0x\n",
    ):
        assert jit_names_at(text, 1, 0xFFFF) == [None, None]
        kernel_table(text)
    assert jit_names_at(b"ffffffffffffff 10 far\n", 0xFFFFFFFFFFFFFF) == ["far"]


@given(
    st.lists(st.tuples(st.integers(0, 120), st.integers(1, 40)), min_size=1, max_size=25),
    st.sets(st.integers(0, 199), min_size=1),
    st.integers(1, 25),
)
def test_later_entries_of_a_jit_map_replace_earlier_ones(rows, addresses, block):
    text = b"".join(b"%x %x name%d\n" % (start, size, i) for i, (start, size) in enumerate(rows))
    expected: list[str | None] = [None] * 200
    for number, (start, size) in enumerate(rows):
        expected[start : start + size] = [f"name{number}"] * size
    assert jit_names_at(text, *addresses, block=block) == [expected[at] for at in addresses]


def test_a_jit_map_is_read_up_to_a_number_of_lines():
    lines = [b"%x 1 f%d\n" % (number, number) for number in range(10)]
    addresses = np.arange(10, dtype=np.uint64)
    symbols = jit_symbols([b"".join(lines[:4]), b"".join(lines[4:])], addresses, max_lines=7)
    assert symbols.cut
    assert (symbols.group >= 0).tolist() == [True] * 7 + [False] * 3
    assert not jit_symbols([b"".join(lines)], addresses, max_lines=10).cut
