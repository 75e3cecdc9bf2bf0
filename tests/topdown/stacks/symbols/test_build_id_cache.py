"""Entries are returned as they were stored, or not at all."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from topdown.stacks.symbols.build_id_cache import BuildIdCache

BUILD_ID = b"\x12" * 20


@pytest.fixture
def cache(tmp_path: Path) -> BuildIdCache:
    return BuildIdCache(tmp_path / "cache/kind", b"KIND\x01\0\0\0", 1000, 4000)


def loaded(cache: BuildIdCache, build_id: bytes = BUILD_ID) -> bytes | None:
    content = cache.load(build_id)
    return None if content is None else bytes(content)


def test_an_entry_equals_the_stored_blocks(cache: BuildIdCache) -> None:
    assert loaded(cache) is None
    cache.store(BUILD_ID, [b"one", b"", b"two"])
    assert loaded(cache) == b"onetwo"
    cache.store(BUILD_ID, [])
    assert loaded(cache) == b""


def test_an_entry_of_another_version_is_ignored(cache: BuildIdCache) -> None:
    cache.store(BUILD_ID, [b"content"])
    assert loaded(replace(cache, magic=b"KIND\x02\0\0\0")) is None


@pytest.mark.parametrize("at", [0, 9, -1])
def test_an_entry_with_a_changed_byte_is_ignored(cache: BuildIdCache, at: int) -> None:
    cache.store(BUILD_ID, [b"content"])
    place = cache.directory / BUILD_ID.hex()
    content = bytearray(place.read_bytes())
    content[at] ^= 1
    place.write_bytes(content)
    assert loaded(cache) is None


def test_large_entries_and_short_build_ids_are_not_stored(cache: BuildIdCache) -> None:
    cache.store(BUILD_ID, [b"x" * 1001])
    cache.store(b"", [b"x"])
    cache.store(b"\x01\x02", [b"x"])
    assert not cache.directory.exists()
    replace(cache, directory=None).store(BUILD_ID, [b"x"])
    assert replace(cache, directory=None).load(BUILD_ID) is None
    cache.store(BUILD_ID, [b"x"])
    (cache.directory / BUILD_ID.hex()).write_bytes(b"x" * 5000)
    assert loaded(cache) is None


def test_the_least_recently_used_entries_are_evicted_first(cache: BuildIdCache) -> None:
    names = [bytes([number]) * 4 for number in range(5)]
    for age, name in enumerate(names[:4]):
        cache.store(name, [b"x" * 980])
        os.utime(cache.directory / name.hex(), (age, age))
    assert loaded(cache, names[0]) is not None  # used anew
    cache.store(names[4], [b"x" * 980])
    left = {place.name for place in cache.directory.iterdir()}
    assert left == {names[place].hex() for place in (0, 2, 3, 4)}
