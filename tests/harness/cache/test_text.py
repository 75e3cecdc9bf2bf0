"""Caches as text: sizes, the newest entries, damaged entries, no home directory."""

from harness.cache.result import (
    CacheClearResult,
    CacheContents,
    CachedBinary,
    CacheShowResult,
    ClearedCache,
)
from harness.cache.text import cleared_text, contents_text


def binary(number: int, *files: str) -> CachedBinary:
    return CachedBinary(
        build_id=f"{number:040x}", size_bytes=2048, used_ns=number * 10**18, files=files
    )


def contents(*entries: CachedBinary, directory: str | None = "/home/a/.cache") -> CacheShowResult:
    cache = CacheContents(
        kind="symbols",
        directory=directory,
        limit_bytes=2**30,
        size_bytes=2048 * len(entries),
        entries=entries,
    )
    return CacheShowResult(caches=(cache,))


def test_the_newest_entries_are_listed_and_the_others_counted() -> None:
    text = contents_text(contents(binary(1, "/bin/a"), binary(1, "/bin/b"), binary(1)), top=2)
    assert text.startswith("symbol tables: 3 entries, 6 KiB, limit 1 GiB\n  /home/a/.cache\n")
    assert "/bin/b" in text
    assert text.endswith("  and 1 more")


def test_a_damaged_entry_has_no_file() -> None:
    assert "(damaged or of an older version)" in contents_text(contents(binary(1)), top=5)


def test_control_characters_of_file_names_are_escaped() -> None:
    assert "\x1b" not in contents_text(contents(binary(1, "/bin/\x1b[31m")), top=5)


def test_without_a_home_directory_nothing_is_cached() -> None:
    expected = "nothing is cached, because HOME is not set"
    assert contents_text(contents(directory=None), top=5) == f"symbol tables: {expected}"
    cleared = ClearedCache(kind="unwind", directory=None, entries=0, size_bytes=0)
    assert cleared_text(CacheClearResult(caches=(cleared,))) == f"unwind tables: {expected}"


def test_removed_entries_are_counted_with_their_size() -> None:
    cleared = ClearedCache(kind="unwind", directory="/c", entries=1234, size_bytes=2**20)
    text = cleared_text(CacheClearResult(caches=(cleared,)))
    assert text == "unwind tables: 1,234 entries removed (1 MiB)"
