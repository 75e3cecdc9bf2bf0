import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.requests.mark_builder import ACTIONS, marks
from tests.topdown.waits.wait_records_builder import build_records
from topdown.requests.spans import find_requests
from topdown.waits.records import NO_THREAD

MS = 1_000_000
RECORDS = build_records("a R0-100\nb@1 R0-100").records  # TIDs 100 and 101


def test_a_request_that_moves_has_a_segment_per_thread_and_a_pause() -> None:
    requests = find_requests(
        marks(
            (10, 100, 7, "begin", "get"),
            (30, 100, 7, "suspend", "queue"),
            (45, 101, 7, "resume"),
            (60, 101, 7, "end"),
        ),
        RECORDS,
    )
    assert requests.wall_ns.tolist() == [50 * MS]
    assert requests.names[requests.name[0]] == "get"
    segments = requests.segments
    assert segments.thread.tolist() == [0, 1]
    assert (segments.end_ns - segments.begin_ns).tolist() == [20 * MS, 15 * MS]
    assert requests.pauses.duration_ns.tolist() == [15 * MS]
    assert requests.names[requests.pauses.name[0]] == "queue"


def test_a_resume_without_a_suspend_moves_the_request() -> None:
    requests = find_requests(
        marks((10, 100, 7, "begin"), (30, 101, 7, "resume"), (60, 101, 7, "end")), RECORDS
    )
    assert requests.segments.thread.tolist() == [0, 1]
    assert not len(requests.pauses.request)


def test_an_id_that_is_used_again_is_another_request() -> None:
    requests = find_requests(
        marks(
            (10, 100, 7, "begin"),
            (20, 100, 7, "end"),
            (30, 100, 7, "begin"),
            (35, 100, 7, "end"),
        ),
        RECORDS,
    )
    assert requests.wall_ns.tolist() == [10 * MS, 5 * MS]


def test_equal_ids_of_two_processes_are_two_requests() -> None:
    records = marks((10, 100, 7, "begin"), (20, 100, 7, "end"), pid=1)
    requests = find_requests(records, RECORDS)
    assert len(requests) == 1
    assert requests.faults.unfinished == 0


def test_marks_without_a_process_count_only_on_threads_of_the_target() -> None:
    rows = marks(
        (10, 999, 1, "begin"),
        (20, 999, 1, "end"),
        (10, 100, 2, "begin"),
        (20, 101, 2, "end"),
        pid=0,
    )
    requests = find_requests(rows, RECORDS)
    assert requests.identity.tolist() == [2]
    assert requests.faults.unknown_threads == 0


def test_what_cannot_be_used_is_counted() -> None:
    requests = find_requests(
        marks(
            (5, 100, 1, "end"),  # began before the recording
            (10, 100, 2, "begin"),  # never ends
            (20, 100, 3, "begin"),
            (25, 100, 3, "end"),
            (26, 100, 3, "resume"),  # after the end
            (90, 100, 4, "begin"),
            (110, 100, 4, "end"),  # after the recording
            (30, 999, 5, "begin"),  # on a thread without records
            (40, 999, 5, "end"),
        ),
        RECORDS,
    )
    faults = requests.faults
    assert len(requests) == 2
    assert faults.begun_before == 1
    assert faults.unfinished == 1
    assert faults.stray == 1
    assert faults.outside == 1
    assert faults.unknown_threads == 1
    assert requests.segments.thread[1] == NO_THREAD


def test_requests_that_overlap_on_a_thread_are_counted() -> None:
    requests = find_requests(
        marks(
            (10, 100, 1, "begin"),
            (20, 100, 2, "begin"),
            (30, 100, 1, "end"),
            (40, 100, 2, "end"),
            (50, 100, 3, "begin"),
            (60, 100, 3, "end"),
        ),
        RECORDS,
    )
    assert requests.faults.overlapping == 1


@given(
    st.lists(
        st.tuples(
            st.integers(1, 100),
            st.integers(99, 102),
            st.integers(0, 3),
            st.sampled_from(list(ACTIONS)),
        ),
        max_size=40,
    )
)
def test_any_marks_give_spans_within_their_requests(rows: list[tuple[int, int, int, str]]) -> None:
    requests = find_requests(marks(*rows), RECORDS)
    segments, pauses = requests.segments, requests.pauses
    begin, end = requests.begin_ns[segments.request], requests.end_ns[segments.request]
    assert np.all(segments.begin_ns >= begin)
    assert np.all(segments.end_ns <= end)
    spans = (segments.end_ns - segments.begin_ns).astype(np.int64)
    covered = np.bincount(segments.request, spans, minlength=len(requests))
    covered += np.bincount(pauses.request, pauses.duration_ns, minlength=len(requests))
    assert covered.tolist() == requests.wall_ns.tolist()
