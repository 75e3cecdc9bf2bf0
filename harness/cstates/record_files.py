"""A recording of idle intervals on disk: its directory, manifest and document."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cstates.idle_recording import TRACE
from harness.load.recording import host_document
from harness.outputs import write_whole
from stallscope.errors import UsageError
from stallscope.host import read_host
from stallscope.json_fields import read_fields
from stallscope.recordings import FORMAT, MANIFEST

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
    manifest = directory / MANIFEST
    return manifest.is_file() and read_fields(manifest).values.get("kind") == KIND


def make_directory(path: Path, *, force: bool) -> None:
    """Make the recording's directory; what is there is replaced only with force.

    Raises UsageError where something else than such a recording is there.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        if not force:
            raise UsageError(
                f"{path} is there already", "name another directory with -o, or add --force"
            ) from None
        if not is_idle(path):
            raise UsageError(
                f"{path} is no recording of idle intervals, and is not replaced",
                "name another directory",
            ) from None
        for name in (TRACE, DOCUMENT, PAGE):
            (path / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}", "name another with -o") from error


def write_manifest(
    folder: Path, command: Sequence[str], *, begin_ns: int, ending: Ending | None
) -> None:
    """Write recording.json: unfinished without an ending, else complete."""
    now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    target = {"kind": "command", "command": list(command)} if command else {"kind": "cpus"}
    document = {
        "schema": f"{FORMAT}/1.0",
        "kind": KIND,
        "complete": ending is not None,
        "host": host_document(read_host()),
        "target": target,
        "source": {"event": "power:cpu_idle", "kind": "measured", "unit": "ns", "scope": "cpus"},
        "clocks": {
            "samples": "CLOCK_MONOTONIC",
            "start_monotonic_ns": begin_ns,
            "start_realtime_ns": time.time_ns() - (now_ns - begin_ns),
            "end_monotonic_ns": None if ending is None else now_ns,
        },
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
    write_whole(folder / MANIFEST, [json.dumps(document, indent=1) + "\n"])


def write_document(folder: Path, document: dict[str, object]) -> None:
    """Write idle.json."""
    write_whole(folder / DOCUMENT, [json.dumps(document, allow_nan=False) + "\n"])
