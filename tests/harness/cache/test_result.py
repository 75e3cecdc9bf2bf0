"""The documents of `stallscope cache`."""

from pathlib import Path

from harness.cache.result import CacheShowResult, cache_contents
from stallscope.documents import decode, encode
from topdown.stacks.symbols.build_id_cache import StoredEntry
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.symbol_cache import symbol_cache


def test_the_size_of_a_cache_is_that_of_its_entries(tmp_path: Path) -> None:
    entries = [StoredEntry("ab" * 10, 100, 7, (b"/bin/\xff",)), StoredEntry("cd" * 10, 20, 5, ())]
    contents = cache_contents(
        "symbols", symbol_cache(SymbolSources(cache_directory=tmp_path)), entries
    )
    assert contents.size_bytes == 120
    assert contents.directory == str(tmp_path)
    assert contents.limit_bytes > 0
    assert contents.entries[0].files == ("/bin/\udcff",)
    assert contents.entries[1].files == ()


def test_without_a_home_directory_a_cache_has_no_directory() -> None:
    result = CacheShowResult(
        caches=(cache_contents("symbols", symbol_cache(SymbolSources(cache_directory=None)), ()),)
    )
    assert result.caches[0].directory is None
    assert decode(encode(result), CacheShowResult, "cache") == result
