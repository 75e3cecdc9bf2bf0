"""Where symbols are read from."""

from pathlib import Path

from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory


def test_the_cache_directory_follows_xdg(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_cache_directory() == Path("/x/stallscope/symbols")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert default_cache_directory() == Path("/h/.cache/stallscope/symbols")


def test_the_longest_prefix_of_a_source_path_is_replaced_at_whole_names():
    sources = SymbolSources(source_map=(("/build", "/src"), ("/build/lib/", "/lib-src/")))
    assert sources.source_path("/build/a.c") == "/src/a.c"
    assert sources.source_path("/build/lib/b.c") == "/lib-src/b.c"
    assert sources.source_path("/builder/a.c") == "/builder/a.c"
    assert sources.source_path("/build") == "/src"
    assert SymbolSources().source_path("/build/a.c") == "/build/a.c"
