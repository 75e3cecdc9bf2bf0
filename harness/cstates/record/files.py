"""A recording of idle intervals on disk: its directory, manifest and document."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cstates.idle.recording import TRACE
from harness.cli.outputs import write_whole
from harness.recordings import directory as recording_directory

KIND = "idle"
DOCUMENT = "idle.json"
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a recording ended."""

    reason: str  # "command", "duration" or "interrupted"
    status: str = ""  # the command's, as "exited 3"

    @property
    def failed(self) -> bool:
        """Return whether the command failed of itself."""
        return self.reason == "command" and self.status != "exited 0"


def default_directory() -> Path:
    """Return a new directory's name in the current one, after the time."""
    return Path(f"stallscope-idle-{datetime.now().astimezone():%Y%m%d-%H%M%S}")


def is_idle(directory: Path) -> bool:
    """Return whether a directory is a recording of idle intervals."""
    return recording_directory.is_recording_of(KIND, directory)


def make_directory(path: Path, *, force: bool) -> None:
    """Make the recording's directory; what is there is replaced only with force.

    Raises UsageError where something else than such a recording is there.
    """
    files = (TRACE, DOCUMENT, PAGE)
    recording_directory.make_directory(
        path, KIND, what="idle intervals", force=force, own_files=lambda _: files
    )


def write_manifest(
    folder: Path, command: Sequence[str], *, begin_ns: int, ending: Ending | None
) -> None:
    """Write recording.json: unfinished without an ending, else complete."""
    own = {
        "target": {"kind": "command", "command": list(command)} if command else {"kind": "cpus"},
        "source": {"event": "power:cpu_idle", "kind": "measured", "unit": "ns", "scope": "cpus"},
        "files": [
            {"name": DOCUMENT, "format": "stallscope.cstates.record/1"},
            {"name": TRACE, "format": "CSV, an idle interval a line; not there with counters only"},
        ],
        "warnings": [],
        "end": {
            "reason": "" if ending is None else ending.reason,
            "target_status": ending.status if ending and ending.status else None,
        },
    }
    recording_directory.write_manifest(
        folder, KIND, begin_ns=begin_ns, ended=ending is not None, own=own
    )


def write_document(folder: Path, document: dict[str, object]) -> None:
    """Write idle.json."""
    write_whole(folder / DOCUMENT, [json.dumps(document, allow_nan=False) + "\n"])
