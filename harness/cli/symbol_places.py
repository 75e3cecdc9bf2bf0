"""Where debug files and sources are on this system."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from stallscope._native import Capture
    from topdown.stacks.profile_warning import ProfileWarning
    from topdown.stacks.symbols.sources import SymbolSources


class SymbolPlaces(Struct, frozen=True):
    """Where debug files and sources are on this system.

    ``source_map``: prefixes of source paths with their replacements. ``debug_directories``:
    searched after /usr/lib/debug.
    """

    source_map: tuple[tuple[str, str], ...] = ()
    debug_directories: tuple[Path, ...] = ()
    debuginfod_urls: str = ""  # separated by spaces; empty: no server is asked

    def words(self) -> list[str]:
        """Return the options that name these debug files on another command line."""
        words = [f"--debug-directory={directory}" for directory in self.debug_directories]
        if self.debuginfod_urls:
            words.append(f"--debuginfod={self.debuginfod_urls}")
        return words

    def added_to(self, sources: "SymbolSources") -> "SymbolSources":
        """Return the sources of a recording's symbols with these places."""
        directories = tuple(os.fsencode(directory) for directory in self.debug_directories)
        return replace(
            sources,
            debug_directories=(*sources.debug_directories, *directories),
            source_map=self.source_map,
        )

    def downloaded(
        self, capture: "Capture", sources: "SymbolSources"
    ) -> "tuple[SymbolSources, tuple[ProfileWarning, ...]]":
        """Return the sources with debug files from the servers, and warnings about missing ones."""
        if not self.debuginfod_urls:
            return sources, ()
        from topdown.stacks.symbols import debuginfod  # noqa: PLC0415 - rarely needed

        servers = debuginfod.servers_of(self.debuginfod_urls)
        return debuginfod.add_debug_files(capture, sources, servers)


DEFAULT_PLACES = SymbolPlaces()
