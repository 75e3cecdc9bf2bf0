from hypothesis import given
from hypothesis import strategies as st

from stallscope.tracing.ring_pages import LOST, RingEvent
from topdown.requests.marks import MarkAction, marks_of
from topdown.requests.trace_marks import mark_in_text, trace_marks

PRINT = 5


def event(text: bytes, t_ns: int = 1000, number: int = PRINT) -> RingEvent:
    return RingEvent(t_ns, 0, number, 100, bytes(16) + text)


def test_marks_are_read_from_text() -> None:
    records, losses = trace_marks(
        [
            event(b"stallscope: begin 4711 check out\n\0"),
            event(b"something else\n", 2000),
            event(b"", 2500, LOST),
            event(b"stallscope: begin 1\n", 2700, 7),  # another event
            event(b"stallscope: suspend 0x1267 queue\n", 3000),
            event(b"stallscope: end 4711\n", 4000),
        ],
        PRINT,
    )
    marks = marks_of(records)
    assert losses == 1
    assert marks.identity.tolist() == [4711, 4711, 4711]
    assert marks.action.tolist() == [MarkAction.BEGIN, MarkAction.SUSPEND, MarkAction.END]
    assert [marks.names[name] for name in marks.name.tolist()] == ["check out", "queue", ""]
    assert set(marks.pid.tolist()) == {0}
    assert set(marks.tid.tolist()) == {100}


def test_ids_beyond_64_bits_are_not_marks() -> None:
    assert mark_in_text(1, 1, b"stallscope: begin 18446744073709551615") is not None
    assert mark_in_text(1, 1, b"stallscope: begin 18446744073709551616") is None
    assert mark_in_text(1, 1, b"stallscope: begin -1") is None


@given(st.binary(max_size=100))
def test_any_text_is_a_mark_or_ignored(text: bytes) -> None:
    records, _ = trace_marks([event(b"stallscope: begin " + text), event(text)], PRINT)
    assert len(marks_of(records)) == len(records)
