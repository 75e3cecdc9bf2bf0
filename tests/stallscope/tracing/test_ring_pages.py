"""Raw pages of the trace ring buffer: times, lengths, losses, and invalid pages."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope.tracing.ring_pages import LOST, RingEvent, ring_events
from tests.stallscope.tracing.ring_writer import (
    PAGE_BYTES,
    event,
    padding,
    page,
    record,
    time_extend,
    time_stamp,
)


def read(*pages: bytes) -> list[RingEvent]:
    return list(ring_events(io.BytesIO(b"".join(pages)), 3, PAGE_BYTES))


def test_times_add_up_over_extensions_stamps_and_padding() -> None:
    data = record(7, 42, b"abcd")
    events = read(
        page(
            1000,
            event(0, data),
            event(5, data),
            time_extend(1 << 30),
            event(1, data),
            padding(24),
            time_stamp(1 << 40),
            event(2, data),
        )
    )
    times = [1000, 1005, 1006 + (1 << 30), (1 << 40) + 2]
    assert [ring_event.t_ns for ring_event in events] == times
    assert {(ring_event.cpu, ring_event.number, ring_event.pid) for ring_event in events} == {
        (3, 7, 42)
    }
    assert events[0].record[8:] == b"abcd"


def test_a_stamp_keeps_the_highest_bits_of_the_previous_time() -> None:
    high = 1 << 60
    events = read(page(high + 5, time_stamp(high + 77), event(1, record(7, 0, b""))))
    assert [ring_event.t_ns for ring_event in events] == [high + 78]


def test_long_records_have_a_separate_length() -> None:
    long = record(9, 1, bytes(200))
    events = read(page(10, event(0, long), event(3, record(7, 1, b""))))
    assert [(ring_event.number, len(ring_event.record)) for ring_event in events] == [
        (9, 208),
        (7, 8),
    ]


def test_lost_events_are_reported_before_their_page() -> None:
    events = read(
        page(1, event(0, record(7, 0, b""))), page(9, event(0, record(8, 0, b"")), missed=True)
    )
    assert [ring_event.number for ring_event in events] == [7, LOST, 8]


def test_a_page_with_an_invalid_length_counts_as_a_loss() -> None:
    broken = bytearray(page(1, event(0, record(7, 0, b""))))
    broken[8:16] = (5000).to_bytes(8, "little")
    assert [ring_event.number for ring_event in read(bytes(broken))] == [LOST]


def test_a_truncated_page_is_not_read() -> None:
    assert read(page(1, event(0, record(7, 0, b"")))[:100]) == []


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=PAGE_BYTES - 16), st.integers(0, 2**64 - 1))
def test_any_page_content_is_safe(content: bytes, commit: int) -> None:
    whole = (bytes(8) + commit.to_bytes(8, "little") + content).ljust(PAGE_BYTES, b"\0")
    for ring_event in read(whole):
        assert ring_event.number == LOST or len(ring_event.record) >= 8
