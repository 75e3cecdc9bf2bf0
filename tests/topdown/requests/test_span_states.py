import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.requests.mark_builder import marks
from tests.topdown.waits.wait_records_builder import build_records
from topdown.requests.span_states import AWAY, Coverage, TimeAxis, request_states
from topdown.requests.spans import find_requests
from topdown.waits.states import ThreadState
from topdown.waits.timeline import build_intervals

MS = 1_000_000
RECORDS = build_records("a R0-20 W(b)20-60 Q60-70 R70-100\nb@1 R0-100").records
INTERVALS = build_intervals(RECORDS)


def test_the_states_of_a_request_add_up_to_its_wall_time() -> None:
    requests = find_requests(
        marks(
            (10, 100, 1, "begin"),
            (65, 100, 1, "suspend", "queue"),
            (80, 101, 1, "resume"),
            (90, 101, 1, "end"),
        ),
        RECORDS,
    )
    (row,) = request_states(requests, INTERVALS, RECORDS)
    assert row[ThreadState.USER] == 20 * MS
    assert row[ThreadState.OTHER] == 40 * MS
    assert row[ThreadState.RUN_QUEUE] == 5 * MS
    assert row[AWAY] == 15 * MS
    assert row.sum() == 80 * MS


def test_time_on_a_thread_without_records_is_unknown() -> None:
    requests = find_requests(marks((10, 999, 1, "begin"), (30, 999, 1, "end")), RECORDS)
    (row,) = request_states(requests, INTERVALS, RECORDS)
    assert row[ThreadState.UNKNOWN] == 20 * MS


def test_coverage_counts_requests_that_overlap() -> None:
    requests = find_requests(
        marks(
            (10, 100, 1, "begin"),
            (20, 100, 2, "begin"),
            (30, 100, 1, "end"),
            (40, 100, 2, "end"),
        ),
        RECORDS,
    )
    coverage = Coverage.of(TimeAxis.of(RECORDS), requests.segments, np.ones(2, np.bool_))
    thread = np.zeros(4, np.uint32)
    times = np.array([5, 15, 25, 35]) * MS
    assert coverage.at(thread, times).tolist() == [0, 1, 2, 1]
    span = coverage.during(thread[:1], np.array([15 * MS]), np.array([35 * MS]))
    assert span.tolist() == [30 * MS]
    other = coverage.during(thread[:1] + 1, np.array([15 * MS]), np.array([35 * MS]))
    assert other.tolist() == [0]


SPAN = st.tuples(st.integers(1, 99), st.integers(1, 99), st.integers(0, 1)).filter(
    lambda span: span[0] != span[1]
)


@given(st.lists(SPAN, min_size=1, max_size=8), SPAN)
def test_sums_over_spans_are_those_of_a_loop(
    spans: list[tuple[int, int, int]], window: tuple[int, int, int]
) -> None:
    rows = []
    for number, (first, other, thread) in enumerate(spans):
        begin, end = sorted((first, other))
        rows += [(begin, 100 + thread, number, "begin"), (end, 100 + thread, number, "end")]
    requests = find_requests(marks(*rows), RECORDS)
    coverage = Coverage.of(
        TimeAxis.of(RECORDS), requests.segments, np.ones(len(requests), np.bool_)
    )
    low, high = sorted(window[:2])
    covered_ns = coverage.during(
        np.array([window[2]], np.uint32), np.array([low * MS]), np.array([high * MS])
    )
    expected = 0
    for first, other, thread in spans:
        begin, end = sorted((first, other))
        if thread == window[2]:
            expected += max(0, min(end, high) - max(begin, low))
    assert covered_ns.tolist() == [expected * MS]
    states = request_states(requests, INTERVALS, RECORDS)
    assert states.sum(axis=1).tolist() == requests.wall_ns.tolist()
