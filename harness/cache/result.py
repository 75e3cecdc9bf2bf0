"""The results of `stallscope cache`: the entries of the caches, and the entries removed."""

import os
from collections.abc import Iterable
from typing import Literal

from stallscope.documents import Count, Document, Record
from topdown.stacks.symbols.build_id_cache import BuildIdCache, StoredEntry

CacheKind = Literal["symbols", "unwind"]


class CachedBinary(Record, frozen=True, kw_only=True):
    """An entry of a cache. ``files``: those that were read; empty if the entry is damaged."""

    build_id: str
    size_bytes: Count
    used_ns: Count  # time of the last use, wall clock
    files: tuple[str, ...]


class CacheContents(Record, frozen=True, kw_only=True):
    """A cache with its entries, the most recently used first."""

    kind: CacheKind
    directory: str | None  # None without a home directory: nothing is cached
    limit_bytes: Count
    size_bytes: Count
    entries: tuple[CachedBinary, ...]


class CacheShowResult(Document, frozen=True, kw_only=True, tag="stallscope.cache.show/1"):
    """The caches of this user."""

    caches: tuple[CacheContents, ...]


class ClearedCache(Record, frozen=True, kw_only=True):
    """The number and size of the entries that were removed from a cache."""

    kind: CacheKind
    directory: str | None
    entries: Count
    size_bytes: Count


class CacheClearResult(Document, frozen=True, kw_only=True, tag="stallscope.cache.clear/1"):
    """The result of `stallscope cache clear`."""

    caches: tuple[ClearedCache, ...]


def cache_contents(
    kind: CacheKind, cache: BuildIdCache, entries: Iterable[StoredEntry]
) -> CacheContents:
    """Return the contents of a cache."""
    binaries = tuple(
        CachedBinary(
            build_id=entry.build_id,
            size_bytes=entry.size_bytes,
            used_ns=entry.used_ns,
            files=tuple(map(os.fsdecode, entry.paths)),
        )
        for entry in entries
    )
    return CacheContents(
        kind=kind,
        directory=None if cache.directory is None else str(cache.directory),
        limit_bytes=cache.all_limit_bytes,
        size_bytes=sum(binary.size_bytes for binary in binaries),
        entries=binaries,
    )
