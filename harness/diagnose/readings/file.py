"""The file of readings in a recording: a line with the header, then a line per reading.

Lines are appended and flushed one by one, so that the file is readable after SIGKILL; a last line
that was cut off is ignored.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.diagnose.readings.reading import MachineReading, ReadingsHeader
from stallscope.documents import decode, encode, read_bounded
from stallscope.errors import RecordingError

FILE = "readings.jsonl"
MAX_READINGS = 50_000
MAX_FILE_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of a recording, in order of time."""

    header: ReadingsHeader
    rows: tuple[MachineReading, ...]


class ReadingsWriter:
    """Appends readings to the file of a recording."""

    def __init__(self, recording: Path, header: ReadingsHeader) -> None:
        """Create the file, in place of one of an earlier recording; raises OSError."""
        path = recording / FILE
        path.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600)
        self._count = 0
        self._append(encode(header))

    def add(self, reading: MachineReading) -> None:
        """Append a reading; the first MAX_READINGS are kept. Raises OSError."""
        if self._count < MAX_READINGS:
            self._count += 1
            self._append(encode(reading))

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _append(self, line: str) -> None:
        content = (line + "\n").encode()
        while content:
            content = content[os.write(self._descriptor, content) :]


def read_readings(recording: Path) -> Readings | None:
    """Return the readings of a recording; None if it has none.

    Raises RecordingError if the file is damaged before its last line.
    """
    path = recording / FILE
    if not path.is_file():
        return None
    content = read_bounded(path, MAX_FILE_BYTES)
    lines = content.split(b"\n")
    complete = lines[:-1]  # the last one is empty, or was cut off
    if not complete:
        return None
    header = decode(complete[0], ReadingsHeader, f"{path}, line 1")
    rows = []
    for number, line in enumerate(complete[1 : MAX_READINGS + 1], 2):
        try:
            rows.append(msgspec.json.decode(line, type=MachineReading))
        except msgspec.MsgspecError as error:
            raise RecordingError(f"{path}, line {number}: {error}", "record again") from error
    return Readings(header, tuple(rows))
