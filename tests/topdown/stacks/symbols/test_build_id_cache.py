"""Entries are returned as they were stored, or not at all."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from stallscope.regular_file import open_regular
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.file_identity import FileIdentity, host_identity

BUILD_ID = b"\x12" * 20


@pytest.fixture
def cache(tmp_path: Path) -> BuildIdCache:
    return BuildIdCache(tmp_path / "cache/kind", b"KIND\x01\0\0\0", 1000, 4000)


def loaded(cache: BuildIdCache, build_id: bytes = BUILD_ID) -> bytes | None:
    entry = cache.load(build_id)
    return None if entry is None else bytes(entry.content)


def test_an_entry_equals_the_stored_blocks(cache: BuildIdCache) -> None:
    assert loaded(cache) is None
    cache.store(BUILD_ID, [], [b"one", b"", b"two"])
    assert loaded(cache) == b"onetwo"
    cache.store(BUILD_ID, [], [])
    assert loaded(cache) == b""


def test_an_entry_of_another_version_is_ignored(cache: BuildIdCache) -> None:
    cache.store(BUILD_ID, [], [b"content"])
    assert loaded(replace(cache, magic=b"KIND\x02\0\0\0")) is None


@pytest.mark.parametrize("at", [0, 9, -1])
def test_an_entry_with_a_changed_byte_is_ignored(cache: BuildIdCache, at: int) -> None:
    cache.store(BUILD_ID, [], [b"content"])
    place = cache.directory / BUILD_ID.hex()
    content = bytearray(place.read_bytes())
    content[at] ^= 1
    place.write_bytes(content)
    assert loaded(cache) is None


def test_large_entries_and_short_build_ids_are_not_stored(cache: BuildIdCache) -> None:
    cache.store(BUILD_ID, [], [b"x" * 1001])
    cache.store(b"", [], [b"x"])
    cache.store(b"\x01\x02", [], [b"x"])
    assert not cache.directory.exists()
    replace(cache, directory=None).store(BUILD_ID, [], [b"x"])
    assert replace(cache, directory=None).load(BUILD_ID) is None
    cache.store(BUILD_ID, [], [b"x"])
    (cache.directory / BUILD_ID.hex()).write_bytes(b"x" * 50000)
    assert loaded(cache) is None


def test_the_least_recently_used_entries_are_evicted_first(cache: BuildIdCache) -> None:
    names = [bytes([number]) * 4 for number in range(5)]
    for age, name in enumerate(names[:4]):
        cache.store(name, [], [b"x" * 980])
        os.utime(cache.directory / name.hex(), (age, age))
    assert loaded(cache, names[0]) is not None  # used again
    cache.store(names[4], [], [b"x" * 980])
    left = {place.name for place in cache.directory.iterdir()}
    assert left == {names[place].hex() for place in (0, 2, 3, 4)}


def identity(path: Path) -> FileIdentity:
    with open_regular(path) as file:
        known = host_identity(file, os.fsencode(path))
    assert known is not None
    return known


@pytest.mark.parametrize("change", ["content", "times set back", "replaced", "removed", "mode"])
def test_an_entry_is_outdated_after_any_change_of_a_file(
    cache: BuildIdCache, tmp_path: Path, change: str
) -> None:
    main, debug = tmp_path / "main", tmp_path / "debug"
    main.write_bytes(b"main")
    debug.write_bytes(b"debug")
    identities = (identity(main), identity(debug))
    cache.store(BUILD_ID, identities, [b"content"])
    entry = cache.load(BUILD_ID)
    assert entry is not None
    assert entry.identities == identities
    assert entry.is_current()
    status = debug.stat()
    if change == "replaced":
        other = tmp_path / "other"
        other.write_bytes(b"DEBUG")
        other.rename(debug)
    elif change == "removed":
        debug.unlink()
    elif change == "mode":
        debug.chmod(0o755)
    else:
        debug.write_bytes(b"DEBUG")
    if change == "times set back":
        os.utime(debug, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not entry.is_current()


def test_clear_and_eviction_touch_entries_only(cache: BuildIdCache, tmp_path: Path) -> None:
    cache.store(BUILD_ID, [], [b"content"])
    (cache.directory / f".{BUILD_ID.hex()}.123.part").write_bytes(b"left over")
    other = cache.directory / "notes.txt"
    other.write_bytes(b"x" * 5000)
    os.utime(other, (1, 1))
    cache.store(b"\x34" * 20, [], [b"more"])
    assert [entry.build_id for entry in cache.entries()] == [BUILD_ID.hex(), "34" * 20][::-1]
    number, size = cache.clear()
    assert number == 3
    assert size > 0
    assert list(cache.directory.iterdir()) == [other]
    assert cache.clear() == (0, 0)
    assert replace(cache, directory=tmp_path / "none/none").clear() == (0, 0)


def test_entries_name_their_files_and_keep_their_times(cache: BuildIdCache, tmp_path: Path) -> None:
    (tmp_path / "main").write_bytes(b"main")
    cache.store(BUILD_ID, [identity(tmp_path / "main")], [b"content"])
    os.utime(cache.directory / BUILD_ID.hex(), (5, 5))
    for _ in range(2):
        (entry,) = cache.entries()
        assert entry.paths == (os.fsencode(tmp_path / "main"),)
        assert entry.used_ns == 5 * 10**9
        assert entry.size_bytes == (cache.directory / BUILD_ID.hex()).stat().st_size


@pytest.mark.usefixtures("needs_root")
def test_a_directory_whose_parent_another_user_owns_is_not_used(cache: BuildIdCache) -> None:
    cache.store(BUILD_ID, [], [b"content"])
    os.chown(cache.directory.parent, 12345, 12345)
    assert loaded(cache) is None
    with pytest.raises(PermissionError):
        cache.clear()


@pytest.mark.usefixtures("needs_root")
def test_root_creates_no_directories_in_a_home_of_another_user(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)
    BuildIdCache(home / ".cache/stallscope/kind", b"KIND\x01\0\0\0", 1000, 4000).store(
        BUILD_ID, [], [b"content"]
    )
    assert list(home.iterdir()) == []


def test_a_directory_below_a_link_is_not_used(cache: BuildIdCache, tmp_path: Path) -> None:
    cache.store(BUILD_ID, [], [b"content"])
    cache.directory.parent.rename(tmp_path / "elsewhere")
    cache.directory.parent.symlink_to(tmp_path / "elsewhere")
    assert loaded(cache) is None
    cache.store(b"\x34" * 20, [], [b"more"])
    assert len(list((tmp_path / "elsewhere/kind").iterdir())) == 1
