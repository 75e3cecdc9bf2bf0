"""Events of one CPU from the raw pages of the kernel's trace ring buffer."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from stallscope._native import read_ring_pages

LOST = -1  # the number of the record that stands for events that were lost
_PAGES_AT_ONCE = 64


class RingEvent(NamedTuple):
    """One record: time (ns, of the instance's clock), tracepoint, CPU it is of, task, content."""

    t_ns: int
    cpu: int
    number: int
    pid: int
    record: bytes


def ring_events(pages: BinaryIO, cpu: int, page_bytes: int) -> Iterator[RingEvent]:
    """Yield a CPU's events in order; one with the number LOST where the kernel lost some.

    A page that makes no sense is passed over and told as lost, too. About 1 us an event.
    """
    while some := pages.read(page_bytes * _PAGES_AT_ONCE):
        columns = read_ring_pages(some, page_bytes)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for t_ns, number, pid, begin, end in rows:
            yield RingEvent(t_ns, cpu, number, pid, some[begin:end])
