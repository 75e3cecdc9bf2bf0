"""Decoding the document of a recording."""

import json
from typing import Any

import pytest

from harness.cstates.record.panel import idle_panel
from harness.cstates.record.result import IdleResult
from harness.cstates.record.text import lines, state_rows
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.cstates.record.decoded import document, interval, read
from tests.harness.cstates.record.documents import machine_document


def test_an_encoded_result_is_decoded_to_the_same_result() -> None:
    result = decode(json.dumps(document(interval(20), interval(100))), IdleResult, "idle.json")
    assert decode(encode(result), IdleResult, "idle.json") == result


def test_a_recording_with_counters_only_has_no_intervals() -> None:
    result = document() | {"why_counters_only": "requested", "intervals": None, "lost_events": None}
    run = read(result)
    assert (run.intervals, run.lost_events) == (None, None)
    assert any("counters only: requested" in line for line in lines(run, 100))


def test_unknown_losses_are_null_and_required() -> None:
    result = document(interval(20)) | {"lost_events": None}
    assert any("Lost: events: unknown" in line for line in lines(read(result), 100))
    del result["lost_events"]
    with pytest.raises(RecordingError, match="lost_events"):
        read(result)


def test_undeclared_states_are_listed_with_their_lengths() -> None:
    """A guest without cpuidle also goes idle and is traced."""
    result = document(interval(20), interval(100))
    result["machine"] = machine_document(0)
    run = read(result)
    (row,) = state_rows(run)
    assert row[:3] == ("state1", "n/a", "n/a")
    assert float(row[4]) >= 100
    assert any(line.startswith("state1 ") for line in lines(run, 100))
    assert "Lengths in state1" in idle_panel(run)


def test_the_reason_for_missing_states_is_printed() -> None:
    result = document()
    assert not any("Sleep states" in line for line in lines(read(result), 100))
    result["machine"] = machine_document(0) | {"missing": "no driver \x1b[2J"}
    text = "\n".join(lines(read(result), 100))
    assert "Sleep states: no driver \\x1b[2J" in text
    assert "Sleep states" in idle_panel(read(result))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("schema",), "stallscope.cstates.record/9"),
        (("seconds",), "two"),
        (("wakes", 0, "wakes"), -1),
        (("idle", 0, "cpu"), 10**9),
        (("idle", 0, "lengths", "counts"), {"99999999999": 1}),
        (("idle", 0, "lengths", "counts"), {"x": 1}),
        (("machine", "cpus", 0, "states", 0, "name"), None),
        (("intervals",), None),
    ],
)
def test_invalid_documents_are_rejected(place: tuple[Any, ...], value: object) -> None:
    result = document(interval(20))
    inner: Any = result
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(RecordingError):
        read(result)
