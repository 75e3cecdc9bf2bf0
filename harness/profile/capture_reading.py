"""The capture of a recording with its symbols: read once, also for several profiles of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from harness.cli.symbol_places import DEFAULT_PLACES, SymbolPlaces
from harness.recordings.captures import check_has_samples, read_samples, symbol_sources
from stallscope._native import Capture
from stallscope.recordings import Recording
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.symbolizer import Symbolizer
from topdown.stacks.unwinding.tables import UnwindTables

if TYPE_CHECKING:
    from topdown.stacks.managed.frames import ManagedFrames
    from topdown.waits.records import WaitRecords
    from topdown.waits.states import Intervals
    from topdown.waits.wait_log import WaitLog

RUNTIME_FRAMES = "runtimes.jsonl"


@dataclass(frozen=True)
class WaitsReading:
    """The records of waits of a capture, and the intervals of its threads."""

    records: "WaitRecords"
    log: "WaitLog | None"
    intervals: "Intervals"


@dataclass(frozen=True)
class CaptureReading:
    """A capture and what names its frames; ``managed``: frames of V8 and HotSpot, if recorded."""

    recording: Recording
    capture: Capture
    symbolizer: Symbolizer
    managed: "ManagedFrames | None"
    warnings: tuple[ProfileWarning, ...]

    @cached_property
    def waits(self) -> WaitsReading:
        """Return the records of waits, built once; RecordingError if they are damaged."""
        from harness.recordings.wait_records import wait_records_of  # noqa: PLC0415 - rarely needed
        from topdown.waits.timeline import build_intervals  # noqa: PLC0415

        records, log = wait_records_of(self.recording, self.capture)
        return WaitsReading(records, log, build_intervals(records))


def capture_reading(
    recording: Recording, places: SymbolPlaces = DEFAULT_PLACES, *, with_managed: bool = True
) -> CaptureReading:
    """Return the capture of a recording; ``with_managed``: with frames of V8 and HotSpot.

    Raises RecordingError if it is unreadable, and UsageError if the recording has no samples.
    """
    check_has_samples(recording)
    sources = places.added_to(symbol_sources(recording))
    tables = UnwindTables(sources)
    managed = _managed_frames(recording) if with_managed else None
    capture = read_samples(recording, tables, managed)
    sources, server_warnings = places.downloaded(capture, sources)
    warnings = (*tables.warnings, *server_warnings)
    return CaptureReading(recording, capture, Symbolizer(sources), managed, warnings)


def _managed_frames(recording: Recording) -> "ManagedFrames | None":
    """Return the frames of V8 and HotSpot, None without them."""
    if recording.manifest is None or not (recording.path / RUNTIME_FRAMES).exists():
        return None
    from topdown.stacks.managed.frames import read_managed_frames  # noqa: PLC0415 - rarely needed

    return read_managed_frames(recording.path)
