"""Places of symbols and sources."""

from pathlib import Path

from harness.cli.symbol_places import SymbolPlaces
from topdown.stacks.symbols.sources import SymbolSources


def test_places_are_searched_after_those_of_the_system() -> None:
    places = SymbolPlaces((("/build", "/src"),), (Path("/debug"),))
    sources = places.added_to(SymbolSources())
    assert sources.debug_directories == (b"/usr/lib/debug", b"/debug")
    assert sources.source_path("/build/a.c") == "/src/a.c"
    assert SymbolPlaces().added_to(SymbolSources()) == SymbolSources()
