"""The marks of requests of a recording: requests.bin, 64 bytes per mark.

A program marks where a request begins, ends, leaves a thread and continues on another
(native/requests/stallscope_request.h). Ids and names are those of the program and not trusted.
Times are those of CLOCK_MONOTONIC, in nanoseconds.

Cost: 1 us per mark.
"""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stallscope.printable import printable
from stallscope.regular_file import MissingFileError, RefusedFileError, RegularFile, open_in_root

FILE = "requests.bin"
TRACE_FILE = "trace_marks.bin"  # the same format: marks from trace_marker
HEAD = b"stallscope.requests/1\n"
HEAD_BYTES = 64
MAX_MARKS = 8 << 20
MAX_NAMES = 1000  # further names are shown as OTHER_NAMES
OTHER_NAMES = "(other names)"
RECORD = np.dtype(
    [
        ("time_ns", "<u8"),
        ("id", "<u8"),
        ("pid", "<u4"),
        ("tid", "<u4"),
        ("action", "u1"),
        ("name_bytes", "u1"),
        ("reserved", "u1", 6),
        ("name", "S32"),
    ]
)
_TIME_LIMIT = np.uint64(1 << 62)


class MarkAction(IntEnum):
    """What happens to a request at a mark."""

    BEGIN = 1
    END = 2
    SUSPEND = 3  # the thread stops to work on it; the name is the reason
    RESUME = 4


@dataclass(frozen=True, slots=True)
class RequestMarks:
    """Marks in order of time; arrays (n_marks,). ``name``: index into ``names``."""

    time_ns: npt.NDArray[np.uint64]
    identity: npt.NDArray[np.uint64]
    pid: npt.NDArray[np.uint32]
    tid: npt.NDArray[np.uint32]
    action: npt.NDArray[np.uint8]
    name: npt.NDArray[np.int64]
    names: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of marks."""
        return len(self.time_ns)

    def take(self, chosen: npt.NDArray[np.bool_]) -> "RequestMarks":
        """Return the chosen marks."""
        return RequestMarks(
            self.time_ns[chosen],
            self.identity[chosen],
            self.pid[chosen],
            self.tid[chosen],
            self.action[chosen],
            self.name[chosen],
            self.names,
            self.warnings,
        )


def read_marks(recording: Path) -> RequestMarks | None:
    """Return the marks of a recording; None if it has none of them."""
    parts = [part for name in (FILE, TRACE_FILE) if (part := _read_file(recording, name))]
    if not parts:
        return None
    warnings = tuple(warning for _, texts in parts for warning in texts)
    return marks_of(np.concatenate([records for records, _ in parts]), warnings)


_Part = tuple[npt.NDArray[np.void], tuple[str, ...]]


def _read_file(recording: Path, name: str) -> _Part | None:
    """Return the records of a file with warnings; None if it does not exist."""
    try:
        with open_in_root(recording, name.encode()) as file:
            return _read(file)
    except MissingFileError:
        return None
    except RefusedFileError as error:
        return np.zeros(0, RECORD), (printable(error.message),)


def _read(file: RegularFile) -> _Part:
    name = printable(file.name)
    if file.read(0, min(file.size, len(HEAD))) != HEAD:
        return np.zeros(0, RECORD), (f"{name} has an unknown format",)
    count = max(0, file.size - HEAD_BYTES) // RECORD.itemsize
    warnings = []
    if count > MAX_MARKS:
        warnings.append(f"{name} has {count:,} marks; those after {MAX_MARKS:,} are left out")
        count = MAX_MARKS
    content = file.read(HEAD_BYTES, count * RECORD.itemsize) if count else b""
    return np.frombuffer(content, RECORD), tuple(warnings)


def marks_of(records: npt.NDArray[np.void], warnings: tuple[str, ...] = ()) -> RequestMarks:
    """Return the marks of records; those with an unknown action or an impossible time are dropped.

    The order of marks of equal time is that of the records.
    """
    is_valid = (records["action"] >= MarkAction.BEGIN) & (records["action"] <= MarkAction.RESUME)
    is_valid &= (records["time_ns"] > 0) & (records["time_ns"] < _TIME_LIMIT)
    dropped = int((~is_valid).sum())
    if dropped:
        warnings = (*warnings, f"{dropped:,} marks of requests are damaged and left out")
        records = records[is_valid]
    records = records[np.argsort(records["time_ns"], kind="stable")]
    texts, number = np.unique(records["name"], return_inverse=True)
    names = [text.decode("utf-8", "replace") for text in texts.tolist()[:MAX_NAMES]]
    number = np.minimum(number.reshape(-1).astype(np.int64), MAX_NAMES)
    if len(texts) > MAX_NAMES:
        names.append(OTHER_NAMES)
    return RequestMarks(
        records["time_ns"].copy(),
        records["id"].copy(),
        records["pid"].copy(),
        records["tid"].copy(),
        records["action"].copy(),
        number,
        tuple(names),
        warnings,
    )
