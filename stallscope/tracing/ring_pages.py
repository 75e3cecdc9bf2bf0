"""Events of one CPU from the raw pages of the kernel's trace ring buffer."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from stallscope._native import read_ring_pages

LOST = -1  # the number of a record that stands for lost events
_PAGES_AT_ONCE = 64


class RingEvent(NamedTuple):
    """One record: time (ns of the instance's clock), CPU, tracepoint, thread, content."""

    t_ns: int
    cpu: int
    number: int
    pid: int
    record: bytes


def ring_events(pages: BinaryIO, cpu: int, page_bytes: int) -> Iterator[RingEvent]:
    """Yield the events of a CPU in order, with the number LOST where the kernel lost events.

    An invalid page counts as lost. Costs about 1 us per event.
    """
    while content := pages.read(page_bytes * _PAGES_AT_ONCE):
        columns = read_ring_pages(content, page_bytes)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for t_ns, number, pid, begin, end in rows:
            yield RingEvent(t_ns, cpu, number, pid, content[begin:end])
