"""What wake-ups cost, by cause, for recordings with known results."""

from dataclasses import replace

from cstates.advice.sleep_costs import explain
from tests.cstates.advice.runs import row, run


def test_costs_are_listed_by_cause_with_the_highest_first() -> None:
    result = explain(run(row(2, "timer", 100, 190.0), row(2, "ipi", 400, 210.0)))
    assert [(item.wake, item.exit_us, item.us_per_s) for item in result.sleeps] == [
        ("ipi", 210.0, 8400.0),
        ("timer", 190.0, 1900.0),
    ]
    assert [(item.pid, item.us_per_s) for item in result.processes] == [(4, 1260.0)]
    assert result.nothing is None


def test_a_cause_without_a_time_has_the_declared_cost() -> None:
    (cost,) = explain(run(row(2, "interrupt", 50, 0.0))).sleeps
    assert (cost.exit_us, cost.source) == (200, "declared")


def test_without_a_trace_costs_are_declared_latencies() -> None:
    bare = replace(run(), why_counters_only="requested", intervals=None)
    assert [(item.state, item.source) for item in explain(bare).sleeps] == [(1, "declared")]


def test_a_machine_that_declares_no_states_has_the_reason() -> None:
    bare = replace(run(), states=(), why_counters_only="requested")
    assert "costs are unknown" in (explain(bare).nothing or "")
    assert explain(replace(bare, states_missing="idle=poll")).nothing == "idle=poll"
