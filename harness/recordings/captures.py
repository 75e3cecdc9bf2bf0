"""The capture of a recording, and where the symbols of its binaries are."""

from stallscope._native import Capture, CaptureError, read_capture
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.recordings import Recording
from topdown.stacks.managed.frames import ManagedFrames
from topdown.stacks.symbols.sources import SymbolSources, default_cache_directory
from topdown.stacks.unwinding.tables import UnwindTables

_DAMAGED = "the file is damaged or not a capture; record again, or copy it again"
_TOO_LARGE = "record for a shorter time (--duration), or take fewer samples (--frequency)"


def check_has_samples(recording: Recording) -> None:
    """Raise UsageError for a recording of another kind, which has no samples."""
    if recording.manifest is not None and not recording.samples.exists():
        raise UsageError(
            f"{recording.path} has no samples",
            f"show its results: stallscope report {recording.path}",
        )


def read_samples(
    recording: Recording, tables: UnwindTables, managed: ManagedFrames | None = None
) -> Capture:
    """Return the capture with copied stacks unwound; a truncated file gives its complete part.

    ``managed``: managed frames that were read beside the samples.
    """
    try:
        return read_capture(
            recording.samples,
            allow_truncated=True,
            unwind_tables=tables,
            managed=managed.runs if managed is not None else None,
            interpreters=managed.interpreters.arrays if managed is not None else None,
        )
    except CaptureError as error:
        message, offset = error.args[0], error.args[1]
        raise RecordingError(
            f"{recording.samples}: at offset {offset}: {message}",
            _TOO_LARGE if "bytes of memory" in message else _DAMAGED,
        ) from error
    except OSError as error:
        if error.filename != str(recording.samples):
            raise UnableError(
                f"cannot store copied stacks in {error.filename}: {error.strerror}",
                "set TMPDIR to a directory with more room",
            ) from error
        raise UsageError(
            f"cannot read {recording.samples}: {error.strerror}",
            "name a recording that this user may read",
        ) from error


def symbol_sources(recording: Recording) -> SymbolSources:
    """Return where the symbols of a recording's binaries are searched."""
    manifest = recording.manifest
    return SymbolSources(
        recording=recording.path if manifest is not None else None,
        boot_id=manifest.boot_id if manifest is not None else None,
        recorded_ns=_end_realtime_ns(recording),
        cache_directory=default_cache_directory(),
    )


def _end_realtime_ns(recording: Recording) -> int | None:
    """Return the end of the recording on the wall clock, None if it is not known.

    For a perf.data file it is the file's modification time, which may be that of a copy.
    """
    manifest = recording.manifest
    if manifest is None:
        return recording.samples.stat().st_mtime_ns
    if manifest.start_realtime_ns is None:
        return None
    duration_ns = (manifest.end_ns or manifest.start_ns) - manifest.start_ns
    return manifest.start_realtime_ns + duration_ns
