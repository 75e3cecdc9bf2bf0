"""The document of `cstates explain`."""

from dataclasses import replace

from cstates.advice.sleep_costs import explain
from harness.cstates.explain.result import ExplainResult, explain_result
from stallscope.documents import decode, encode
from tests.cstates.advice.runs import row, run, state


def test_costs_name_their_state_cause_and_source() -> None:
    recording = run(row(2, "timer", 100, 190.0), row(2, "interrupt", 50, 0.0))
    result = explain_result(recording, explain(recording))
    assert [(cost.state, cost.wake, cost.exit_us, cost.source) for cost in result.sleeps] == [
        ("C6", "timer", 190.0, "measured"),
        ("C6", "interrupt", 200.0, "declared"),
    ]
    assert [(cost.pid, cost.name) for cost in result.processes] == [(4, "redis")]
    assert decode(encode(result), ExplainResult, "explain.json") == result


def test_a_recording_without_costs_has_the_reason() -> None:
    recording = replace(run(), states=(state(0, "POLL", 0, 0),), wakes=(), processes=())
    result = explain_result(recording, explain(recording))
    assert result.sleeps == ()
    assert result.nothing
