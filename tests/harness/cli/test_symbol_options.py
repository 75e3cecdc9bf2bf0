"""The options for debug files and sources, and the commands that have them."""

import importlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.symbol_options import symbol_places
from harness.cli.symbol_places import SymbolPlaces
from stallscope.errors import UsageError

CAPTURES = Path("tests/captures")
PROFILE, WAITS = str(CAPTURES / "pipe.perf"), str(CAPTURES / "switches.perf")


def test_places_of_symbols_and_sources_are_checked() -> None:
    places = symbol_places(["/build=/src=1", "/a="], [Path("/debug")])
    assert places.source_map == (("/build", "/src=1"), ("/a", ""))
    assert places.debug_directories == (Path("/debug"),)
    for wrong in ("/build", "=/src"):
        with pytest.raises(UsageError, match="expected FROM=TO"):
            symbol_places([wrong], [])


def test_servers_are_used_only_if_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGINFOD_URLS", "http://a http://b")
    assert symbol_places([], []).debuginfod_urls == ""
    assert symbol_places([], [], "http://c").debuginfod_urls == "http://c"
    assert symbol_places([], [], "DEBUGINFOD_URLS").debuginfod_urls == "http://a http://b"
    monkeypatch.delenv("DEBUGINFOD_URLS")
    with pytest.raises(UsageError, match="needs DEBUGINFOD_URLS"):
        symbol_places([], [], "DEBUGINFOD_URLS")


def test_the_words_of_places_name_the_same_places(tmp_path: Path) -> None:
    places = symbol_places([], [tmp_path], "http://a http://b")
    assert places.words() == [f"--debug-directory={tmp_path}", "--debuginfod=http://a http://b"]
    assert symbol_places([], []).words() == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("report", [PROFILE, "--no-page"]),
        ("flame", [PROFILE, "--format", "folded", "-o", "-"]),
        ("callers", [PROFILE, "a"]),
        ("data", [PROFILE]),
        ("diff", [PROFILE, PROFILE]),
        ("waits", [WAITS, "--no-page"]),
        ("pack", [PROFILE, "--redact", "-o", "case.stallscope.tar.gz"]),
        ("diagnose", [WAITS, "-o", "page.html"]),
    ],
)
def test_commands_that_name_functions_search_further_debug_directories(
    name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(Path(word).absolute()) if word.startswith("tests") else word for word in words]
    monkeypatch.chdir(tmp_path)
    used: list[SymbolPlaces] = []
    added_to = SymbolPlaces.added_to

    def spy(places: SymbolPlaces, sources: object) -> object:
        used.append(places)
        return added_to(places, sources)  # type: ignore[arg-type]

    monkeypatch.setattr(SymbolPlaces, "added_to", spy)
    command = importlib.import_module(f"harness.commands.{name}").command
    result = CliRunner().invoke(command, [*words, "--debug-directory", str(tmp_path)])
    assert used, result.output
    assert all(places.debug_directories == (tmp_path,) for places in used)
    missing = CliRunner().invoke(command, [*words, "--debug-directory", str(tmp_path / "none")])
    assert missing.exit_code == 2
