"""Lookup of addresses: sizes, aliases, nesting, versions, compared with a linear search."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.stacks.symbol_names import names_at
from topdown.stacks.symbol_table import (
    ENTRY,
    RANK_LOCAL,
    RANK_UNNAMED,
    RANK_WEAK,
    Symbols,
    build_table,
    empty_table,
)

NO_LIMIT = 1 << 50


def table_of(*rows: tuple[int, int, int, str], limit: int = NO_LIMIT, versioned: bool = True):
    """A table of (start, size, rank, name)."""
    strings, offsets = b"\0", []
    for *_, name in rows:
        offsets.append(len(strings))
        strings += name.encode() + b"\0"
    return build_table(
        Symbols(
            np.array([row[0] for row in rows], np.uint64),
            np.array([row[1] for row in rows], np.uint64),
            np.full(len(rows), limit, np.uint64),
            np.array([row[2] | (4 if row[1] == 0 else 0) for row in rows], np.uint8),
            np.array(offsets, np.uint32),
            strings,
        ),
        versioned=versioned,
    )


def test_an_address_beyond_a_symbols_size_is_unknown():
    table = table_of((100, 10, 0, "a"), (200, 10, 0, "b"))
    assert names_at(table, 99, 100, 109, 110, 199, 200, 210) == [
        None, "a", "a", None, None, "b", None,
    ]  # fmt: skip


def test_a_symbol_without_size_extends_to_the_next_or_to_its_sections_end():
    table = table_of((100, 0, 0, "a"), (200, 0, 0, "b"), limit=250)
    assert names_at(table, 150, 199, 249, 250) == ["a", "a", "b", None]


def test_the_outer_symbol_continues_after_a_nested_symbol():
    table = table_of((100, 100, 0, "outer"), (120, 10, 0, "inner"), (140, 5, 0, "second"))
    assert names_at(table, 119, 125, 130, 139, 146, 199, 200) == [
        "outer", "inner", "outer", "outer", "outer", "outer", None,
    ]  # fmt: skip


def test_a_label_inside_a_function_does_not_cut_it():
    table = table_of((100, 100, 0, "function"), (150, 0, 0, "label"))
    assert names_at(table, 160) == ["function"]


def test_aliases_prefer_strong_global_fewer_underscores_and_length():
    assert names_at(table_of((1, 9, RANK_WEAK, "weak"), (1, 9, 0, "s")), 1) == ["s"]
    assert names_at(table_of((1, 9, RANK_LOCAL, "local"), (1, 9, 0, "g")), 1) == ["g"]
    assert names_at(table_of((1, 9, 0, "__longer"), (1, 9, 0, "_b"), (1, 9, 0, "c")), 1) == ["c"]
    assert names_at(table_of((1, 9, 0, "ab"), (1, 9, 0, "abc")), 1) == ["abc"]
    assert names_at(table_of((1, 0, 0, "sizeless_name"), (1, 9, 0, "s")), 1) == ["s"]


def test_version_suffixes_are_removed_from_names():
    table = table_of((1, 9, 0, "memcpy@@GLIBC_2.14"), (20, 5, 0, "old@V1"), (30, 5, 0, "f@plt"))
    assert names_at(table, 1, 20, 30) == ["memcpy", "old", "f@plt"]
    assert names_at(table_of((1, 9, 0, "a@b"), versioned=False), 1) == ["a@b"]


def test_unnamed_functions_fill_gaps_and_mark_entries():
    unnamed = RANK_UNNAMED | RANK_WEAK | RANK_LOCAL
    table = table_of((100, 10, 0, "a"), (105, 3, unnamed, ""), (200, 10, unnamed | ENTRY, ""))
    groups = table.look_up(np.array([106, 205], np.uint64))
    assert table.names(groups) == [b"a", b""]
    assert table.named(groups).tolist() == [True, False]
    assert table.entries(groups).tolist() == [False, True]


def test_an_empty_table_finds_no_address():
    assert empty_table().look_up(np.array([1, 2], np.uint64)).tolist() == [-1, -1]


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(0, 60)), min_size=1, max_size=30, unique=True
    )
)
def test_lookup_agrees_with_a_linear_search(rows):
    table = table_of(*((start, size, 0, f"s{start}_{size}") for start, size in rows))
    addresses = np.arange(0, 400, dtype=np.uint64)
    groups = table.look_up(addresses)
    for address, group in zip(addresses.tolist(), groups.tolist(), strict=True):
        if group >= 0:
            assert int(table.start[group]) <= address < int(table.end[group])
        else:
            starts, ends = table.start.tolist(), table.end.tolist()
            held = any(s <= address < e for s, e in zip(starts, ends, strict=True))
            assert not held


def test_a_restricted_table_has_the_same_names():
    table = table_of((1, 9, 0, "a@@V"), (20, 5, 0, "b"), (30, 5, 0, "cc"), (30, 5, 0, "c"))
    groups = table.look_up(np.array([31, 2, 31], np.uint64))
    narrow, places = table.restricted_to(groups, kept_bytes=0)
    assert narrow.names(places) == table.names(groups) == [b"cc", b"a", b"cc"]
    assert len(narrow.strings) < len(table.strings)
