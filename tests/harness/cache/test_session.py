"""The caches of a user are shown and cleared."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cache.session import clear_caches, show_caches
from harness.cli.command_line import group
from stallscope.errors import UnableError
from stallscope.regular_file import open_regular
from tests.documents import assert_valid
from topdown.stacks.symbols.file_identity import host_identity
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory
from topdown.stacks.symbols.symbol_cache import symbol_cache
from topdown.stacks.unwinding.tables import unwind_cache


@pytest.fixture(autouse=True)
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two entries of symbols and one of unwind tables."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    binary = tmp_path / "bin\x1b[31mary"
    binary.write_bytes(b"content")
    with open_regular(binary) as file:
        identity = host_identity(file, os.fsencode(binary))
    assert identity is not None
    sources = SymbolSources(cache_directory=default_cache_directory())
    symbols = symbol_cache(sources)
    symbols.store(b"\x12" * 20, [identity], [b"x" * 3000])
    symbols.store(b"\x34" * 20, [identity], [b"x" * 1000])
    unwind_cache(sources).store(b"\x12" * 20, [identity], [b"x"])
    for number, build_id in enumerate((b"\x12" * 20, b"\x34" * 20)):
        os.utime(tmp_path / "stallscope/symbols" / build_id.hex(), (number, number))
    return tmp_path


def output_of(*words: str) -> str:
    result = CliRunner().invoke(group, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_entries_are_shown_by_their_last_use(entries: Path) -> None:
    symbols, unwind = show_caches().caches
    assert [entry.build_id for entry in symbols.entries] == ["34" * 20, "12" * 20]
    assert symbols.size_bytes == sum(entry.size_bytes for entry in symbols.entries)
    assert symbols.directory == str(entries / "stallscope/symbols")
    assert len(unwind.entries) == 1


def test_the_text_escapes_names_and_counts_what_it_omits() -> None:
    text = output_of("cache", "show", "--top", "1")
    assert "symbol tables: 2 entries, " in text
    assert "limit 512 MiB" in text
    assert "34343434" in text
    assert "and 1 more" in text
    assert "\x1b" not in text


def test_clearing_removes_all_entries_and_reports_their_size(entries: Path) -> None:
    text = output_of("cache", "clear")
    assert "symbol tables: 2 entries removed" in text
    assert "unwind tables: 1 entries removed" in text
    assert not list((entries / "stallscope/symbols").iterdir())
    assert [cache.entries for cache in clear_caches().caches] == [0, 0]
    assert "symbol tables: 0 entries, 0 B" in output_of("cache", "show")


@pytest.mark.parametrize(("name", "words"), [("cache.show", ["show"]), ("cache.clear", ["clear"])])
def test_the_documents_follow_their_schemas(name: str, words: list[str]) -> None:
    printed = output_of("cache", *words, "--json")
    assert_valid(name, printed)
    assert [cache["kind"] for cache in json.loads(printed)["caches"]] == ["symbols", "unwind"]


def test_without_a_home_directory_nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    assert "nothing is cached" in output_of("cache", "show")
    assert "nothing is cached" in output_of("cache", "clear")


def test_a_directory_that_others_can_write_to_is_refused(entries: Path) -> None:
    (entries / "stallscope/symbols").chmod(0o777)
    for function in (show_caches, clear_caches):
        with pytest.raises(UnableError, match="cannot use the cache"):
            function()
