"""Caches for a terminal."""

import time

from harness.cache.result import CacheClearResult, CacheContents, CachedBinary, CacheShowResult
from harness.cli.table import columns
from harness.cli.terminal import printable
from stallscope.quantities import size_text

_NAMES = {"symbols": "symbol tables", "unwind": "unwind tables"}
_NO_HOME = "nothing is cached, because HOME is not set"


def contents_text(result: CacheShowResult, *, top: int) -> str:
    """Return directory, size and the most recently used entries of each cache."""
    return "\n\n".join("\n".join(_cache_lines(cache, top)) for cache in result.caches)


def cleared_text(result: CacheClearResult) -> str:
    """Return what was removed from each cache."""
    return "\n".join(
        f"{_NAMES[cache.kind]}: {cache.entries:,} entries removed ({size_text(cache.size_bytes)})"
        if cache.directory is not None
        else f"{_NAMES[cache.kind]}: {_NO_HOME}"
        for cache in result.caches
    )


def _cache_lines(cache: CacheContents, top: int) -> list[str]:
    if cache.directory is None:
        return [f"{_NAMES[cache.kind]}: {_NO_HOME}"]
    sizes = f"{size_text(cache.size_bytes)}, limit {size_text(cache.limit_bytes)}"
    lines = [
        f"{_NAMES[cache.kind]}: {len(cache.entries):,} entries, {sizes}",
        f"  {printable(cache.directory)}",
    ]
    entries = cache.entries[:top]
    if entries:
        rows = [("last used", "size", "build id"), *map(_row, entries)]
        files = ["file", *(_file(entry) for entry in entries)]
        lines += [f"  {line}  {file}" for line, file in zip(columns(rows), files, strict=True)]
    if len(cache.entries) > len(entries):
        lines.append(f"  and {len(cache.entries) - len(entries):,} more")
    return lines


def _row(entry: CachedBinary) -> tuple[str, str, str]:
    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used_ns / 1e9))
    return used, size_text(entry.size_bytes), entry.build_id[:16]


def _file(entry: CachedBinary) -> str:
    return printable(entry.files[0]) if entry.files else "(damaged or of an older version)"
