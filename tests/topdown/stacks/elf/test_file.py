"""Reading ELF files: compared with binutils, 32 and 64 bits, malformed files."""

import contextlib
import os
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stallscope.regular_file import MemoryImage, open_regular
from tests.topdown.stacks.elf.built import tiny_elf
from topdown.stacks.elf.file import PT_LOAD, ElfError, ElfFile, addresses_of
from topdown.stacks.elf.symbols import symbol_table


def read_all(source) -> None:
    """Every operation that the symbolizer performs on a file."""
    file = ElfFile(source)
    _ = file.build_id, file.debug_link, file.section_names
    loads = file.segments[file.segments["type"] == PT_LOAD]
    addresses_of(loads, np.array([0, 4096, 1 << 63], np.uint64))
    table = symbol_table(file)
    table.names(table.look_up(np.arange(0, 8192, 64, dtype=np.uint64)).clip(0)) if len(table) else 0


def test_a_debug_link_has_name_and_checksum(programs):
    with open_regular(programs.linked) as file:
        link = ElfFile(file).debug_link
    assert link == (b"full.debug", zlib.crc32(programs.debug.read_bytes()))


def test_compressed_sections_are_unpacked(programs, tmp_path: Path, made):
    target = tmp_path / "compressed"
    made.run("objcopy", "--compress-debug-sections=zlib", programs.full, target)
    with open_regular(target) as file:
        elf = ElfFile(file)
        names = list(elf.section_names)
        unpacked = elf.section_content(names.index(b".debug_line"))
    with open_regular(programs.full) as file:
        elf = ElfFile(file)
        assert unpacked == elf.section_content(list(elf.section_names).index(b".debug_line"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x7fELF",
        b"\x7fELF" + b"\xff" * 60,
        b"#!/bin/sh\n",
        b"\x7fELF\x02\x01\x01" + b"\xff" * 57,
    ],
)
def test_a_file_that_is_not_elf_raises_elf_error(content: bytes):
    with pytest.raises(ElfError):
        read_all(MemoryImage("hostile", content))


def test_a_section_with_a_huge_size_is_rejected_without_reading():
    content = bytearray(tiny_elf(is_64=True, order="<"))
    sections = struct.unpack_from("<Q", content, 40)[0]
    struct.pack_into("<Q", content, sections + 2 * 64 + 32, 1 << 40)
    tracemalloc.start()
    with pytest.raises(ElfError):
        read_all(MemoryImage("hostile", bytes(content)))
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


def test_a_compressed_section_larger_than_the_limit_is_rejected(programs):
    bomb = zlib.compress(b"\0" * (8 << 20), 9)
    with open_regular(programs.full) as file:
        elf = ElfFile(file)
        with pytest.raises(ElfError, match="bytes"):
            elf._decompress(struct.pack("<IIQQ", 1, 0, 1 << 40, 1) + bomb, 1 << 20)
        assert len(elf._decompress(struct.pack("<IIQQ", 1, 0, 1000, 1) + bomb, 1 << 20)) == 1000


TINY = tiny_elf(is_64=True, order="<", symbols=3)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, len(TINY) - 1), st.integers(0, 255)), max_size=12))
@example([(60, 255), (61, 255)])
def test_mutations_of_a_small_file_give_a_table_or_elf_error(changes):
    content = bytearray(TINY)
    for place, value in changes:
        content[place] = value
    with contextlib.suppress(ElfError):
        read_all(MemoryImage("mutated", bytes(content)))


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_mutations_of_a_real_file_give_a_table_or_elf_error(programs, data):
    content = bytearray(programs.stripped.read_bytes())
    tail = max(0, len(content) - 64 * 40)  # headers stand at both ends
    place = st.one_of(
        st.integers(0, 1200), st.integers(tail, len(content) - 1), st.integers(0, len(content) - 1)
    )
    for at, value in data.draw(st.lists(st.tuples(place, st.integers(0, 255)), max_size=20)):
        content[at] = value
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    with contextlib.suppress(ElfError):
        read_all(MemoryImage("mutated", bytes(content[:cut])))


def test_a_file_that_shrinks_while_it_is_read_raises_elf_error(tmp_path: Path, programs):
    target = tmp_path / "shrinks"
    target.write_bytes(programs.full.read_bytes())
    with open_regular(target) as file:
        elf = ElfFile(file)
        os.truncate(target, 100)
        with pytest.raises(ElfError, match="shorter"):
            symbol_table(elf)
