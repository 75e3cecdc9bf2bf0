"""Unwind tables of binaries: compiled once, cached, and warnings about missing files."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.topdown.stacks.unwinding.mapped import messages
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding import tables as unwind_tables
from topdown.stacks.unwinding.tables import UnwindTables


@pytest.fixture
def mapped(programs, made):
    return made.Object(os.fsencode(programs.stripped), programs.build_id)


def entry(programs, sources: SymbolSources) -> Path:
    return sources.cache_directory.parent / "unwind" / programs.build_id.hex()


def test_a_table_is_compiled_once_and_cached(programs, sources, mapped) -> None:
    tables = UnwindTables(sources)
    fresh = tables(mapped)
    assert fresh is not None
    assert fresh.rows > 0
    assert tables(replace(mapped, path=b"/the/same/elsewhere")) is fresh
    assert entry(programs, sources).stat().st_mode & 0o777 == 0o600
    kept = UnwindTables(sources)(replace(mapped, path=b"/gone"))
    assert kept is not None
    assert kept.to_bytes() == fresh.to_bytes()
    assert not tables.warnings


def test_a_missing_file_is_named_in_a_warning(sources, mapped) -> None:
    tables = UnwindTables(sources)
    assert tables(replace(mapped, path=b"/gone/\x1b[31mlib.so")) is None
    (message,) = messages(tables)
    assert "lib.so: stacks may end in it: the file is missing" in message
    assert "\x1b" not in message


def test_a_changed_file_is_rejected(sources, mapped) -> None:
    tables = UnwindTables(sources)
    assert tables(replace(mapped, build_id=b"\x01" * 20)) is None
    assert "the file changed" in messages(tables)[0]


def test_a_file_that_is_not_elf_is_named_in_a_warning(sources, tmp_path: Path, made) -> None:
    (tmp_path / "text").write_text("hello")
    tables = UnwindTables(sources)
    assert tables(made.Object(os.fsencode(tmp_path / "text"))) is None
    assert "cannot be read" in messages(tables)[0]


def test_anonymous_memory_has_no_table_and_no_warning(sources, made) -> None:
    tables = UnwindTables(sources)
    assert tables(made.Object(b"[vsyscall]")) is None
    assert not tables.warnings


def test_a_damaged_cache_entry_is_compiled_again(programs, sources, mapped) -> None:
    assert UnwindTables(sources)(mapped) is not None
    place = entry(programs, sources)
    magic = place.read_bytes()[:8]
    BuildIdCache(place.parent, magic, 1000, 10**9).store(programs.build_id, [], [b"no table"])
    table = UnwindTables(sources)(mapped)
    assert table is not None
    assert table.rows > 0


@pytest.mark.usefixtures("needs_root")
def test_a_binary_of_another_user_is_used_but_not_cached(
    programs, sources, mapped, tmp_path
) -> None:
    stranger = tmp_path / "stranger"
    shutil.copy(programs.stripped, stranger)
    os.chown(stranger, 12345, 12345)
    assert UnwindTables(sources)(replace(mapped, path=os.fsencode(stranger))) is not None
    assert not entry(programs, sources).exists()


def test_warnings_name_only_the_first_missing_files(sources, made) -> None:
    tables = UnwindTables(sources)
    for number in range(30):
        assert tables(made.Object(f"/gone/{number}".encode(), bytes([number]) * 20)) is None
    assert len(tables.warnings) == 21
    assert "10 more files" in messages(tables)[-1]


@pytest.mark.parametrize(("name", "limit"), [("_MAX_OBJECTS", 1), ("_MAX_ROWS", 1)])
def test_the_number_of_binaries_read_is_limited(
    sources, mapped, made, monkeypatch: pytest.MonkeyPatch, name: str, limit: int
) -> None:
    monkeypatch.setattr(unwind_tables, name, limit)
    tables = UnwindTables(sources)
    first = tables(mapped)
    assert first is not None
    assert tables(made.Object(mapped.path)) is None
    assert tables(mapped) is first
    assert "more than" in messages(tables)[0]
