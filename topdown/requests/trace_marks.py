"""Marks of requests in the kernel's trace buffer, written to trace_marker as text.

    stallscope: begin 4711 checkout
    stallscope: suspend 4711 queue
    stallscope: resume 4711
    stallscope: end 4711

An id is a decimal number, or a hexadecimal one after 0x, below 2^64. It is unique among the open
requests of all processes, so a request may move between processes. Other text is ignored.
"""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from stallscope.tracing.ring_pages import LOST, RingEvent
from topdown.requests.marks import RECORD, MarkAction

TEXT_OFFSET = 16  # of the text in a record of ftrace/print, if its format is not known
MAX_NAME = 32
_MARK = re.compile(
    rb"stallscope: (begin|end|suspend|resume) (0x[0-9a-fA-F]{1,16}|[0-9]{1,20})(?: ([^\n\0]*))?"
)
_ACTIONS = {
    b"begin": MarkAction.BEGIN,
    b"end": MarkAction.END,
    b"suspend": MarkAction.SUSPEND,
    b"resume": MarkAction.RESUME,
}
_Row = tuple[int, int, int, int, int, int, tuple[int, ...], bytes]


def mark_in_text(t_ns: int, tid: int, text: bytes) -> _Row | None:
    """Return the record of a mark; None if the text is none."""
    match = _MARK.match(text)
    if match is None or t_ns <= 0 or tid <= 0:
        return None
    identity = int(match[2], 16 if match[2].startswith(b"0x") else 10)
    if identity >= 1 << 64:
        return None
    name = (match[3] or b"").strip()[:MAX_NAME]
    return (t_ns, identity, 0, tid, _ACTIONS[match[1]], len(name), (0,) * 6, name)


def trace_marks(
    events: Iterable[RingEvent], number: int, text_offset: int = TEXT_OFFSET
) -> tuple[npt.NDArray[np.void], int]:
    """Return the records of marks, and how often the kernel lost events.

    ``number``: of the event ftrace/print.
    """
    rows: list[_Row] = []
    losses = 0
    for event in events:
        if event.number == LOST:
            losses += 1
        elif event.number == number:
            row = mark_in_text(event.t_ns, event.pid, event.record[text_offset:])
            if row is not None:
                rows.append(row)
    return np.array(rows, RECORD), losses
