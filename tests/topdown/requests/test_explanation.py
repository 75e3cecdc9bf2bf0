import pytest

from tests.topdown.requests.request_recording import recording
from topdown.requests.explanation import RequestExplanation, explain
from topdown.requests.span_states import request_states


def explanations(cause: str) -> list[RequestExplanation]:
    recorded = recording(cause)
    states = request_states(recorded.requests, recorded.kinds.intervals, recorded.built.records)
    _, rows = explain(
        recorded.requests,
        states,
        recorded.classes,
        recorded.built.records,
        recorded.kinds.intervals,
        recorded.built.names,
    )
    return rows


@pytest.mark.parametrize(
    ("cause", "state", "place"),
    [
        ("disk", "disk_write", ("fsync", "flush_log", "handle", "main")),
        ("lock", "lock", ("update", "handle", "main")),
        ("compute", "running", ("rebuild", "handle", "main")),
        ("queue", "run_queue", ()),
    ],
)
def test_the_cause_comes_first_with_its_place(
    cause: str, state: str, place: tuple[str, ...]
) -> None:
    first, *others = explanations(cause)
    assert first.state == state
    assert first.place.chain == place
    assert first.stands_out
    assert first.times.difference == pytest.approx(8e6, rel=0.05)
    assert first.share == pytest.approx(1, abs=0.03)
    assert not any(row.stands_out for row in others)


def test_nothing_stands_out_if_slow_requests_do_more_of_the_same() -> None:
    rows = explanations("longer")
    assert rows[0].share > 0.5
    assert not any(row.stands_out for row in rows)
