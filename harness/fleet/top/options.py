"""The options of `stallscope fleet top`."""

from pathlib import Path

from msgspec import Struct

from stallscope.errors import RecordingError, UsageError
from stallscope.recordings import MANIFEST


class FleetTopOptions(Struct, frozen=True, kw_only=True):
    """Recordings by name of host. ``scheduler``: address of a Dask scheduler; empty: here."""

    recordings: tuple[tuple[str, Path], ...]
    top: int = 20
    scheduler: str = ""


def recordings_below(paths: tuple[Path, ...]) -> tuple[tuple[str, Path], ...]:
    """Return the recordings at paths, or one level below them, with the names of their hosts.

    UsageError for a missing path, RecordingError if there is no recording.
    """
    recordings: list[tuple[str, Path]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no {path}", "name a directory that fleet record made")
        if not path.is_dir() or (path / MANIFEST).exists():
            recordings.append((path.name, path))
            continue
        recordings += [
            (child.name, child)
            for child in sorted(path.iterdir())
            if child.is_dir() and not child.name.endswith(".part")
        ]
    if not recordings:
        raise RecordingError("there is no recording", "record with: stallscope fleet record")
    return tuple(recordings)
