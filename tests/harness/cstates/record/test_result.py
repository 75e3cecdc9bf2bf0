"""Decoding the document of a recording."""

import json
from typing import Any

import pytest

from cstates.idle.intervals import IPI, TIMER, IdleInterval
from cstates.idle.summary import MAX_PROCESSES, OTHERS, IdleSummary
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.panel import idle_panel
from harness.cstates.record.result import IdleResult
from harness.cstates.record.text import lines, state_rows
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.cstates.record.documents import idle_document, machine_document, state_document


def interval(
    idle_us: int, *, state: int = 1, cpu: int = 0, wake: str = TIMER, pid: int = 7
) -> IdleInterval:
    return IdleInterval(
        cpu, 1000, state, idle_us * 1000, 10**9, 10**9, wake, 20_000, 30_000, pid, f"task {pid}"
    )


def document(*intervals: IdleInterval) -> dict[str, Any]:
    summary = IdleSummary((None, 50_000))
    for item in intervals:
        summary.add(item)
    activity = {"entries": len(intervals), "above_share": 0.5, "below_share": 0.0}
    states = [
        state_document(index, name, exit_us, target_us) | {"over_interval": activity}
        for index, name, exit_us, target_us in ((0, "POLL", 0, 0), (1, "C1", 2, 50))
    ]
    return idle_document(summary, machine_document(0, *states), seconds=2.0)


def read(document: dict[str, Any]) -> IdleResult:
    return decode(json.dumps(document), IdleResult, "idle.json")


def test_an_encoded_result_is_decoded_to_the_same_result() -> None:
    result = decode(json.dumps(document(interval(20), interval(100))), IdleResult, "idle.json")
    assert decode(encode(result), IdleResult, "idle.json") == result


def test_counts_are_decoded_from_the_document() -> None:
    run = idle_run(
        read(document(interval(20), interval(100), interval(100, cpu=1, wake=IPI, pid=8)))
    )
    lengths = run.lengths_of(1)
    assert lengths is not None
    assert lengths.total == 3
    assert {(row.wake, row.wakes, row.too_deep) for row in run.wakes} == {
        (TIMER, 2, 1),
        (IPI, 1, 0),
    }
    assert [row.awake_mean_us for row in run.wakes] == [20.0, 20.0]
    assert {(row.pid, row.name, row.wakes) for row in run.processes} == {
        (7, "task 7", 2),
        (8, "task 8", 1),
    }
    assert run.states[1].above == 0.5


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


def test_processes_beyond_the_limit_are_counted_together() -> None:
    many = [interval(100, pid=pid) for pid in range(1, MAX_PROCESSES + 11)]
    run = idle_run(read(document(*many)))
    others = [row for row in run.processes if row.name == OTHERS]
    assert [(row.pid, row.wakes) for row in others] == [(-1, 10)]


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
