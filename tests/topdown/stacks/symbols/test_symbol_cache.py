"""Cached tables equal the originals, are rebuilt if damaged, and come only from trusted files."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from topdown.stacks.symbols import symbol_cache
from topdown.stacks.symbols.object_symbols import read_object
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbol_cache import load_symbols


@pytest.fixture
def sources(tmp_path: Path) -> SymbolSources:
    return SymbolSources(cache_directory=tmp_path / "cache/symbols", debug_directories=())


@pytest.fixture
def mapped(programs, made):
    return made.Object(os.fsencode(programs.full), programs.build_id)


def cached(build_id: bytes, sources: SymbolSources):
    """The symbols of an entry, None if there is none."""
    loaded = load_symbols(build_id, sources)
    return None if loaded is None else loaded[0]


def entry(programs, sources: SymbolSources) -> Path:
    return sources.cache_directory / programs.build_id.hex()


def assert_same(table, other) -> None:
    for name in ("start", "end", "first", "covered", "rank", "name_offset"):
        np.testing.assert_array_equal(getattr(table.table, name), getattr(other.table, name))
    assert table.table.strings == other.table.strings
    np.testing.assert_array_equal(table.loads, other.loads)


def test_a_cached_table_equals_the_original_after_the_file_is_deleted(programs, sources, mapped):
    fresh = read_object(mapped, sources)
    assert_same(cached(programs.build_id, sources), fresh)
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
        content[100:] = b"\xff" * (len(content) - 100)
    else:
        content[0] ^= 1
    place.write_bytes(content)
    assert cached(programs.build_id, sources) is None
    assert_same(read_object(mapped, sources), fresh)
    assert cached(programs.build_id, sources) is not None


def test_an_entry_that_is_a_link_or_pipe_is_not_followed(programs, sources, mapped, tmp_path):
    read_object(mapped, sources)
    place = entry(programs, sources)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert cached(programs.build_id, sources) is None
    place.unlink()
    os.mkfifo(place)
    assert cached(programs.build_id, sources) is None
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
    assert cached(programs.build_id, sources) is None
    assert read_object(mapped, sources).table is not None


@pytest.mark.usefixtures("needs_root")
def test_a_binary_of_another_user_is_not_cached(programs, sources, tmp_path, made):
    stranger = tmp_path / "stranger"
    shutil.copy(programs.full, stranger)
    os.chown(stranger, 12345, 12345)
    mapped = made.Object(os.fsencode(stranger), programs.build_id)
    assert read_object(mapped, sources).table is not None
    assert cached(programs.build_id, sources) is None


def test_a_directory_that_is_a_link_is_not_used(sources, mapped, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    sources.cache_directory.parent.mkdir()
    sources.cache_directory.symlink_to(tmp_path / "elsewhere")
    assert read_object(mapped, sources).table is not None
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_debug_file_installed_later_replaces_the_entry(programs, sources, tmp_path: Path, made):
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id)
    sources = structs.replace(sources, debug_directories=(os.fsencode(tmp_path / "debug"),))
    before = len(read_object(mapped, sources).table.strings)
    name = programs.build_id.hex()
    place = tmp_path / "debug/.build-id" / name[:2] / f"{name[2:]}.debug"
    place.parent.mkdir(parents=True)
    shutil.copy(programs.debug, place)
    assert len(read_object(mapped, sources).table.strings) > before


def test_the_least_recently_used_entries_are_evicted(programs, sources, mapped, monkeypatch):
    sources.cache_directory.mkdir(parents=True, mode=0o700)
    for number in range(3):
        old = sources.cache_directory / (f"0{number}" * 4)
        old.write_bytes(b"x" * 1000)
        os.utime(old, (number, number))
    read_object(mapped, sources)
    size = entry(programs, sources).stat().st_size
    monkeypatch.setattr(symbol_cache, "_ALL_LIMIT", size + 1500)
    entry(programs, sources).unlink()
    read_object(mapped, sources)
    names = {place.name for place in sources.cache_directory.iterdir()}
    assert names == {"02020202", programs.build_id.hex()}


def other_names(programs, place: Path) -> Path:
    """A copy of the program's debug file in which the function ``plain`` is called ``false``."""
    content = programs.debug.read_bytes()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.replace(b"plain\0", b"false\0"))
    return place


def names_in(symbols) -> bytes:
    return symbols.table.strings


def debug_path(directory: Path, build_id: bytes) -> Path:
    name = build_id.hex()
    return directory / ".build-id" / name[:2] / f"{name[2:]}.debug"


def test_a_debug_file_of_another_mount_namespace_changes_no_later_name(
    programs, sources, tmp_path: Path, made
):
    """A user bind-mounts a debug file for a program of root into an own mount namespace."""
    proc = tmp_path / "proc"
    (proc / "sys/kernel/random").mkdir(parents=True)
    (proc / "sys/kernel/random/boot_id").write_text("7a1b")
    other_names(programs, debug_path(proc / "42/root/usr/lib/debug", programs.build_id))
    path = os.fsencode(programs.stripped)
    (proc / "42/map_files").mkdir()
    (proc / "42/map_files/1000-2000").symlink_to(programs.stripped)
    hostile = made.Object(path, programs.build_id, pid=42, start=0x1000, length=0x1000)
    live = structs.replace(
        sources, boot_id="7a1b", proc=proc, debug_directories=(b"/usr/lib/debug",)
    )
    assert b"false" not in names_in(read_object(hostile, live))
    assert b"false" not in names_in(read_object(made.Object(path, programs.build_id), sources))


def test_a_copy_in_a_recording_is_not_cached(programs, sources, tmp_path: Path, made):
    (tmp_path / "run/binaries").mkdir(parents=True)
    shutil.copy(programs.full, tmp_path / "run/binaries" / programs.build_id.hex())
    received = structs.replace(sources, recording=tmp_path / "run")
    assert read_object(made.Object(b"/deleted", programs.build_id), received).table is not None
    assert cached(programs.build_id, sources) is None


@pytest.mark.usefixtures("needs_root")
def test_symbols_of_another_users_debug_file_are_not_cached(
    programs, sources, tmp_path: Path, made
):
    debug = other_names(programs, debug_path(tmp_path / "debug", programs.build_id))
    os.chown(debug, 12345, 12345)
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id)
    shared = structs.replace(sources, debug_directories=(os.fsencode(tmp_path / "debug"),))
    assert b"false" in names_in(read_object(mapped, shared))
    assert cached(programs.build_id, sources) is None


def test_a_changed_debug_file_is_read_again(programs, sources, tmp_path: Path, made):
    debug = debug_path(tmp_path / "debug", programs.build_id)
    debug.parent.mkdir(parents=True)
    shutil.copy(programs.debug, debug)
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id)
    shared = structs.replace(sources, debug_directories=(os.fsencode(tmp_path / "debug"),))
    assert b"plain" in names_in(read_object(mapped, shared))
    debug.unlink()
    other_names(programs, debug)
    assert b"false" in names_in(read_object(mapped, shared))
    debug.unlink()
    assert b"false" not in names_in(read_object(mapped, shared))
