"""Where symbols are read from."""

from pathlib import Path

from topdown.stacks.symbols.sources import default_cache_directory


def test_the_cache_directory_follows_xdg(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_cache_directory() == Path("/x/stallscope/symbols")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert default_cache_directory() == Path("/h/.cache/stallscope/symbols")
