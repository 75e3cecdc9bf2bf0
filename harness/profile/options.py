"""The options of `stallscope profile`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from harness.profile.period import Period
from stallscope.errors import UsageError
from topdown.waits.weight import Weight

if TYPE_CHECKING:
    from stallscope.collector import CollectorOptions
    from topdown.stacks.symbols.sources import SymbolSources


class SymbolPlaces(Struct, frozen=True):
    """Where debug files and sources are on this system.

    ``source_map``: prefixes of source paths with their replacements. ``debug_directories``:
    searched after /usr/lib/debug.
    """

    source_map: tuple[tuple[str, str], ...] = ()
    debug_directories: tuple[Path, ...] = ()
    debuginfod_urls: str = ""  # separated by spaces; empty: no server is asked

    def added_to(self, sources: "SymbolSources") -> "SymbolSources":
        """Return the sources of a recording's symbols with these places."""
        directories = tuple(os.fsencode(directory) for directory in self.debug_directories)
        return replace(
            sources,
            debug_directories=(*sources.debug_directories, *directories),
            source_map=self.source_map,
        )


class AnalysisOptions(Struct, frozen=True):
    """What to analyze in a recording.

    ``lines``: number of hottest addresses for which source lines and inlined functions are looked
    up. ``inlined``: look up inlined functions at all hot addresses. ``event``: name of the event;
    empty: the first event with samples. ``weight``: what a sample weighs.
    ``period``: None: the whole recording. ``by_module``: rank modules too.
    """

    lines: int = 0
    inlined: bool = False
    event: str = ""
    weight: Weight = Weight.CPU
    period: Period | None = None
    places: SymbolPlaces = SymbolPlaces()
    by_module: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.event and self.weight != Weight.CPU:
            raise UsageError(
                f"--event and --weight {self.weight} exclude each other",
                "an event's samples weigh their periods; leave out one of the options",
            )


class ProfileOptions(Struct, frozen=True):
    """What to record and to print.

    ``slots``: count pipeline slots by function. ``locate``: then sample the events of flagged
    nodes. ``top``: number of functions and threads to print.
    """

    collector: "CollectorOptions"
    analysis: AnalysisOptions
    slots: bool
    locate: bool
    top: int
    as_json: bool

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.locate and not self.slots:
            raise UsageError("--locate needs the nodes that --slots flags", "add --slots")
