"""Sources of unwind tables."""

from pathlib import Path

import pytest

from topdown.stacks.symbols.sources import SymbolSources


@pytest.fixture
def sources(tmp_path: Path) -> SymbolSources:
    return SymbolSources(cache_directory=tmp_path / "cache/symbols", debug_directories=())
