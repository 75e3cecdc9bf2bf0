"""Marks of requests for tests: (milliseconds, tid, id, action, name)."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tests.topdown.waits.wait_records_builder import MILLISECOND
from topdown.requests.marks import RECORD, MarkAction, RequestMarks, marks_of

ACTIONS = {
    "begin": MarkAction.BEGIN,
    "end": MarkAction.END,
    "suspend": MarkAction.SUSPEND,
    "resume": MarkAction.RESUME,
}
Row = tuple[float, int, int, str] | tuple[float, int, int, str, str]


def mark_records(rows: Iterable[Row], *, pid: int = 1000) -> npt.NDArray[np.void]:
    """Return the records of marks, as in the file."""
    return np.array(
        [
            (
                round(row[0] * MILLISECOND),
                row[2],
                pid,
                row[1],
                ACTIONS[row[3]],
                0,
                (0,) * 6,
                (row[4] if len(row) > 4 else "").encode(),
            )
            for row in rows
        ],
        RECORD,
    )


def marks(*rows: Row, pid: int = 1000) -> RequestMarks:
    """Return marks in order of time."""
    return marks_of(mark_records(rows, pid=pid))
