"""Raw pages of the trace ring buffer: times, lengths, losses, and pages that make no sense."""

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
    found = read(
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
    assert [each.t_ns for each in found] == times
    assert {(each.cpu, each.number, each.pid) for each in found} == {(3, 7, 42)}
    assert found[0].record[8:] == b"abcd"


def test_a_stamp_keeps_the_highest_bits_of_the_time_before() -> None:
    high = 1 << 60
    found = read(page(high + 5, time_stamp(high + 77), event(1, record(7, 0, b""))))
    assert [each.t_ns for each in found] == [high + 78]


def test_long_records_have_their_length_beside_them() -> None:
    long = record(9, 1, bytes(200))
    found = read(page(10, event(0, long), event(3, record(7, 1, b""))))
    assert [(each.number, len(each.record)) for each in found] == [(9, 208), (7, 8)]


def test_missed_events_are_told_before_their_page() -> None:
    found = read(
        page(1, event(0, record(7, 0, b""))), page(9, event(0, record(8, 0, b"")), missed=True)
    )
    assert [each.number for each in found] == [7, LOST, 8]


def test_a_page_that_claims_more_than_it_holds_is_a_loss() -> None:
    broken = bytearray(page(1, event(0, record(7, 0, b""))))
    broken[8:16] = (5000).to_bytes(8, "little")
    assert [each.number for each in read(bytes(broken))] == [LOST]


def test_a_page_cut_off_is_not_read() -> None:
    assert read(page(1, event(0, record(7, 0, b"")))[:100]) == []


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=PAGE_BYTES - 16), st.integers(0, 2**64 - 1))
def test_no_content_of_a_page_breaks_its_reader(content: bytes, commit: int) -> None:
    whole = (bytes(8) + commit.to_bytes(8, "little") + content).ljust(PAGE_BYTES, b"\0")
    for each in read(whole):
        assert each.number == LOST or len(each.record) >= 8
