"""Cached tables equal the originals, are rebuilt if damaged, and come only from trusted files."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from topdown.stacks.symbols import symbol_cache
from topdown.stacks.symbols.object_symbols import read_object
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory
from topdown.stacks.symbols.symbol_cache import load_symbols


@pytest.fixture
def sources(tmp_path: Path) -> SymbolSources:
    return SymbolSources(cache_directory=tmp_path / "cache/symbols", debug_directories=())


@pytest.fixture
def mapped(programs, made):
    return made.Object(os.fsencode(programs.full), programs.build_id)


def entry(programs, sources: SymbolSources) -> Path:
    return sources.cache_directory / programs.build_id.hex()


def assert_same(table, other) -> None:
    for name in ("start", "end", "first", "covered", "rank", "name_offset"):
        np.testing.assert_array_equal(getattr(table.table, name), getattr(other.table, name))
    assert table.table.strings == other.table.strings
    np.testing.assert_array_equal(table.loads, other.loads)


def test_a_cached_table_equals_the_original_after_the_file_is_deleted(programs, sources, mapped):
    fresh = read_object(mapped, sources)
    assert_same(load_symbols(programs.build_id, sources), fresh)
    gone = replace(mapped, path=b"/gone")
    assert_same(read_object(gone, sources), fresh)
    assert entry(programs, sources).stat().st_mode & 0o777 == 0o600
    assert sources.cache_directory.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "counts", "magic"])
def test_a_damaged_entry_is_rebuilt(programs, sources, mapped, damage: str):
    fresh = read_object(mapped, sources)
    place = entry(programs, sources)
    content = bytearray(place.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "empty":
        content.clear()
    elif damage == "counts":
        content[16:48] = b"\xff" * 32
    else:
        content[0] ^= 1
    place.write_bytes(content)
    assert load_symbols(programs.build_id, sources) is None
    assert_same(read_object(mapped, sources), fresh)
    assert load_symbols(programs.build_id, sources) is not None


def test_an_entry_that_is_a_link_or_pipe_is_not_followed(programs, sources, mapped, tmp_path):
    read_object(mapped, sources)
    place = entry(programs, sources)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert load_symbols(programs.build_id, sources) is None
    place.unlink()
    os.mkfifo(place)
    assert load_symbols(programs.build_id, sources) is None
    assert read_object(mapped, sources).table is not None


def test_a_directory_writable_by_others_is_not_used(programs, sources, mapped):
    sources.cache_directory.mkdir(parents=True)
    sources.cache_directory.chmod(0o777)
    assert read_object(mapped, sources).table is not None
    assert not list(sources.cache_directory.iterdir())


@pytest.mark.usefixtures("needs_root")
def test_a_directory_of_another_user_is_not_used(programs, sources, mapped):
    read_object(mapped, sources)
    os.chown(sources.cache_directory, 12345, 12345)
    assert load_symbols(programs.build_id, sources) is None
    assert read_object(mapped, sources).table is not None


@pytest.mark.usefixtures("needs_root")
def test_a_binary_of_another_user_is_not_cached(programs, sources, tmp_path, made):
    stranger = tmp_path / "stranger"
    shutil.copy(programs.full, stranger)
    os.chown(stranger, 12345, 12345)
    mapped = made.Object(os.fsencode(stranger), programs.build_id)
    assert read_object(mapped, sources).table is not None
    assert load_symbols(programs.build_id, sources) is None


def test_a_directory_that_is_a_link_is_not_used(sources, mapped, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    sources.cache_directory.parent.mkdir()
    sources.cache_directory.symlink_to(tmp_path / "elsewhere")
    assert read_object(mapped, sources).table is not None
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_debug_file_installed_later_replaces_the_entry(programs, sources, tmp_path: Path, made):
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id)
    sources = replace(sources, debug_directories=(os.fsencode(tmp_path / "debug"),))
    before = len(read_object(mapped, sources).table.strings)
    name = programs.build_id.hex()
    place = tmp_path / "debug/.build-id" / name[:2] / f"{name[2:]}.debug"
    place.parent.mkdir(parents=True)
    shutil.copy(programs.debug, place)
    assert len(read_object(mapped, sources).table.strings) > before


def test_the_least_recently_used_entries_are_evicted(programs, sources, mapped, monkeypatch):
    sources.cache_directory.mkdir(parents=True, mode=0o700)
    for number in range(3):
        old = sources.cache_directory / f"old{number}"
        old.write_bytes(b"x" * 1000)
        os.utime(old, (number, number))
    read_object(mapped, sources)
    size = entry(programs, sources).stat().st_size
    monkeypatch.setattr(symbol_cache, "_ALL_LIMIT", size + 1500)
    entry(programs, sources).unlink()
    read_object(mapped, sources)
    names = {place.name for place in sources.cache_directory.iterdir()}
    assert names == {"old2", programs.build_id.hex()}


def test_the_cache_directory_follows_xdg(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_cache_directory() == Path("/x/stallscope/symbols")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert default_cache_directory() == Path("/h/.cache/stallscope/symbols")
