"""A recording of a probe."""

from pathlib import Path

from harness.io.recording import (
    IoRecording,
)


def recording_in(folder: Path) -> IoRecording:
    return IoRecording(
        folder, "probe", "/srv", 1, {"direct.hlog": "HdrHistogram V2 interval log, ns"}
    )
