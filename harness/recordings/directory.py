"""The directory of a recording: made, replaced, removed, and given its manifest."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import structs

from harness.cli.outputs import output_error, write_whole
from harness.recordings.kinds import manifest_kind
from harness.recordings.manifest import CommandManifest, this_host
from stallscope.documents import encode
from stallscope.errors import UsageError
from stallscope.output_place import make_output_directory
from stallscope.recordings import MANIFEST, RecordedClocks


def is_recording_of(kind: str, directory: Path) -> bool:
    """Return whether a directory is a recording of a kind."""
    manifest = directory / MANIFEST
    return manifest.is_file() and manifest_kind(directory) == kind


def make_new_directory(path: Path) -> None:
    """Make a directory for results. Raises UsageError if it exists or cannot be made."""
    try:
        make_output_directory(path)
    except FileExistsError:
        raise UsageError(f"{path} already exists", "name another directory with -o") from None
    except OSError as error:
        raise output_error(path, error) from error


def make_directory(
    path: Path, kind: str, *, subject: str, force: bool, own_files: Callable[[Path], Iterable[str]]
) -> None:
    """Make a recording's directory; with ``force``, replace an existing recording of this kind.

    ``own_files`` returns the file names of an existing recording; no other files are removed.
    Raises UsageError, with ``subject`` as the name of the kind, if something else exists there.
    """
    try:
        make_output_directory(path)
    except FileExistsError:
        if not force:
            raise UsageError(
                f"{path} already exists", "name another directory with -o, or add --force"
            ) from None
        if not is_recording_of(kind, path):
            raise UsageError(
                f"{path} is not a recording of {subject} and is not replaced",
                "name another directory",
            ) from None
        for name in own_files(path):
            _remove(path / name)
    except OSError as error:
        raise output_error(path, error) from error


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # a directory, or an invalid name
        raise UsageError(
            f"cannot replace {file}, a file of the existing recording: {error}",
            "name another directory with -o",
        ) from error


def remove_empty(path: Path) -> None:
    """Remove a recording that has only its manifest, because nothing was measured."""
    with suppress(OSError):
        if [entry.name for entry in path.iterdir()] == [MANIFEST]:
            (path / MANIFEST).unlink()
            path.rmdir()


def write_manifest(
    directory: Path, manifest: CommandManifest, *, begin_ns: int, ended: bool
) -> None:
    """Write recording.json for a recording on this host, which is complete once it has ended.

    ``begin_ns`` is a time of CLOCK_MONOTONIC.
    """
    now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    clocks = RecordedClocks(
        samples="CLOCK_MONOTONIC",
        start_monotonic_ns=begin_ns,
        start_realtime_ns=time.time_ns() - (now_ns - begin_ns),
        end_monotonic_ns=now_ns if ended else None,
    )
    manifest = structs.replace(manifest, complete=ended, host=this_host(), clocks=clocks)
    write_whole(directory / MANIFEST, [encode(manifest, indent=1) + "\n"])
