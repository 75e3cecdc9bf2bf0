"""Showing and clearing the caches of symbols and unwind tables."""

from collections.abc import Iterator
from contextlib import contextmanager

from harness.cache.result import (
    CacheClearResult,
    CacheKind,
    CacheShowResult,
    ClearedCache,
    cache_contents,
)
from stallscope.errors import UnableError
from topdown.stacks.symbols.build_id_cache import BuildIdCache
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory
from topdown.stacks.symbols.symbol_cache import symbol_cache
from topdown.stacks.unwinding.tables import unwind_cache


def show_caches() -> CacheShowResult:
    """Return the caches of this user with their entries."""
    contents = []
    for kind, cache in _caches():
        with _readable(cache):
            contents.append(cache_contents(kind, cache, cache.entries()))
    return CacheShowResult(caches=tuple(contents))


def clear_caches() -> CacheClearResult:
    """Remove all entries of the caches of this user; return how many there were."""
    cleared = []
    for kind, cache in _caches():
        with _readable(cache):
            entries, size_bytes = cache.clear()
        cleared.append(
            ClearedCache(
                kind=kind,
                directory=None if cache.directory is None else str(cache.directory),
                entries=entries,
                size_bytes=size_bytes,
            )
        )
    return CacheClearResult(caches=tuple(cleared))


def _caches() -> tuple[tuple[CacheKind, BuildIdCache], ...]:
    sources = SymbolSources(cache_directory=default_cache_directory())
    return (("symbols", symbol_cache(sources)), ("unwind", unwind_cache(sources)))


@contextmanager
def _readable(cache: BuildIdCache) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnableError(
            f"cannot use the cache {cache.directory}: {error.strerror or error}",
            "stallscope does not use it either; remove the directory",
        ) from error
