"""Costs and advice for recordings with known results."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from cstates.advice.evidence import WakeEvidence
from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise, exit_time
from cstates.idle.length_counts import LengthCounts
from cstates.idle.run import IdleRun, RecordedState, WakeRow
from cstates.wake_latency import WakeFinding
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines, gain_text
from harness.cstates.latency.result import read_evidence
from stallscope.errors import RecordingError


def state(index: int, name: str, exit_us: int, entries: int) -> RecordedState:
    return RecordedState(index, name, exit_us, 2 * exit_us, None, entries, 0.0, 0.0)


def row(index: int, wake: str, wakes: int, exit_us: float, pid: int | None = None) -> WakeRow:
    """Return wake-ups with a standard deviation of 1 us."""
    squares = wakes / 2 * ((exit_us - 1) ** 2 + (exit_us + 1) ** 2)
    timed = wakes if exit_us else 0
    total = int(exit_us * wakes * 1000)
    return WakeRow(index, wake, wakes, 0, timed, total, squares, None, None, pid, "redis")


def run(*wakes: WakeRow, governor: str = "menu") -> IdleRun:
    lengths = LengthCounts()
    for _ in range(1000):
        lengths.record(500_000)
    entries = sum(item.wakes for item in wakes)
    return IdleRun(
        command=(),
        seconds=10.0,
        driver="intel_idle",
        governor=governor,
        why_counters_only=None,
        cpus=(0, 1, 2, 3),
        states=(state(0, "POLL", 0, 0), state(1, "C1", 3, 100), state(2, "C6", 200, entries)),
        intervals=entries,
        intervals_kept=entries,
        intervals_discarded=0,
        lost_events=0,
        events=0,
        reader_cpu_s=0.0,
        warnings=(),
        command_cpus=(),
        siblings={cpu: (cpu % 2, cpu % 2 + 2) for cpu in range(4)},
        lengths={(1, 2): lengths.histogram()},
        wakes=wakes,
        processes=(row(2, "ipi", 60, 210.0, pid=4),),
    )


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


def test_advice_names_states_and_the_idle_cpus_with_their_siblings() -> None:
    advice = advise(run(row(1, "ipi", 100, 5.0), row(2, "ipi", 400, 210.0)))
    assert advice.nothing is None
    first = next(item for item in advice.suggestions if item.open_states == ("POLL", "C1"))
    assert first.cpus == (1, 3)
    assert first.gain_us == pytest.approx(205)
    assert first.least_us == pytest.approx(205 - 1.96 * (1 / 100 + 1 / 400) ** 0.5)
    assert first.sources == "measured now, measured then"
    assert first.us_per_s == pytest.approx(205 * 40)
    assert first.commands == (
        "stallscope pin --states POLL,C1 --cpus 1,3 -- CMD",
        "cpupower -c 1,3 idle-set -d 2",
    )
    assert "instead of C6" in first.costs[0]


def test_advice_is_restricted_to_the_commands_affinity() -> None:
    lengths = LengthCounts()
    lengths.record(500_000)
    both = {(0, 2): lengths.histogram(), (1, 2): lengths.histogram()}
    idle = replace(run(row(2, "ipi", 400, 210.0)), lengths=both)
    assert advise(idle).suggestions[0].cpus == (0, 1, 2, 3)
    assert advise(replace(idle, command_cpus=(0, 2))).suggestions[0].cpus == (0, 2)
    assert advise(replace(idle, command_cpus=(7,))).suggestions[0].cpus == (0, 1, 2, 3)
    alone = replace(idle, command_cpus=(0,), siblings={0: (0,)})
    assert "1. On CPU 0 keep" in "\n".join(advise_lines(advise_result(advise(alone)), 10_000))
    assert "1. On CPUs 0-3 keep" in "\n".join(advise_lines(advise_result(advise(idle)), 10_000))


def test_an_untimed_state_proves_no_gain_but_has_an_upper_bound() -> None:
    advice = advise(run(row(2, "ipi", 400, 210.0)))
    half = 1.96 * (1 / 400) ** 0.5
    assert [item.untimed for item in advice.suggestions] == [("POLL",), ("C1",)]
    for item in advice.suggestions:
        assert not item.proven
        assert item.least_us is None
        assert item.most_us == pytest.approx(210 + half)
    lines = " ".join(advise_lines(advise_result(advice), 10_000))
    assert "No gain is proven. To try:" in lines
    assert "at most 210.1 us per wake-up; leaving C1 was not timed" in lines
    assert "cstates latency" in lines


def test_proven_suggestions_precede_greater_unproven_ones() -> None:
    advice = advise(run(row(1, "ipi", 100, 5.0), row(2, "ipi", 400, 210.0)))
    assert [item.proven for item in advice.suggestions] == [True, False]
    assert advice.suggestions[1].us_per_s > advice.suggestions[0].us_per_s


def measured(finding: WakeFinding, *closed: str) -> WakeEvidence:
    return WakeEvidence("futex, 1000 us", closed, finding, f"the text of {finding}")


def test_measured_wake_ups_override_estimates() -> None:
    idle = run(row(2, "ipi", 400, 210.0))
    none = [measured(WakeFinding.NO_DIFFERENCE, "C6", "C1"), measured(WakeFinding.MORE, "C1", "C6")]
    advice = advise(idle, none)
    assert [item.open_states for item in advice.suggestions] == [("POLL", "C1")]
    assert "C1, C6 closed, futex, 1000 us: the text of no-difference" in advice.notes[0]
    gains = advise_result(advise(idle, [*none, measured(WakeFinding.LESS, "C1", "C6")]))
    gained = gains.suggestions[0]
    assert gained.shown
    assert gained.measured == ("futex, 1000 us: the text of less",)
    assert "measured wake-ups gained: futex" in gain_text(gained)
    both = [measured(WakeFinding.NO_DIFFERENCE, *closed) for closed in (("C1", "C6"), ("C6",))]
    assert advise(idle, both).nothing == "nothing to gain: measured wake-ups were not faster"


def test_inconclusive_measurements_do_not_change_the_advice() -> None:
    idle = run(row(2, "ipi", 400, 210.0))
    nothing = [
        measured(WakeFinding.TOO_FEW, "C6"),
        measured(WakeFinding.WITHOUT_EFFECT, "C1", "C6"),
    ]
    nothing += [
        measured(WakeFinding.NOT_COUNTED, "C6"),
        measured(WakeFinding.NOT_COUNTED, "C1", "C6"),
    ]
    assert advise(idle, nothing) == advise(idle)


def test_evidence_is_read_from_a_latency_document_and_a_damaged_one_is_rejected(
    tmp_path: Path,
) -> None:
    verdict: dict[str, object] = {
        "test": "tcp", "states": "up to C1", "closed": ["C6"], "gain_us": 17.0, "least_us": 1.0,
        "most_us": 20.0, "finding": "less", "text": "17 us less",
    }  # fmt: skip
    document = {
        "schema": "stallscope.cstates.latency/1", "cpus": [0], "rounds": 6, "results": [],
        "verdicts": [verdict], "notes": [],
    }  # fmt: skip
    path = tmp_path / "latency.json"
    path.write_text(json.dumps(document))
    assert read_evidence(path) == (WakeEvidence("tcp", ("C6",), WakeFinding.LESS, "17 us less"),)
    wrong: list[dict[str, object]] = [
        {"schema": "x"}, {"verdicts": [verdict | {"finding": "maybe"}]}, {"verdicts": [3]},
    ]  # fmt: skip
    for fields in wrong:
        path.write_text(json.dumps(document | fields))
        with pytest.raises(RecordingError):
            read_evidence(path)


def test_a_governor_that_ignores_closed_states_gives_a_note() -> None:
    advice = advise(run(row(2, "ipi", 400, 210.0), governor="haltpoll"))
    for item in advice.suggestions:
        assert all("--force-effective" in command for command in item.commands)
    assert "ignores disabled states" in advice.notes[0]


def test_a_declared_latency_has_no_interval() -> None:
    few = run(row(2, "ipi", 20, 210.0))
    result = exit_time(few, few.states[2:])
    assert result is not None
    assert (result.mean_us, result.half_us, result.source) == (200.0, None, "declared")


def test_nothing_to_gain_has_a_reason() -> None:
    idle = run(row(2, "ipi", 400, 210.0))
    never = replace(
        idle, intervals=0, states=tuple(replace(item, entries=0) for item in idle.states)
    )
    assert advise(never).nothing == "CPUs never idled, nothing to gain"
    assert explain(never).nothing is not None
    assert "fewer than" in (advise(replace(idle, intervals=4)).nothing or "")
    assert "no shallower state" in (advise(replace(idle, states=idle.states[:1])).nothing or "")
    shallow = run(row(1, "ipi", 400, 3.0))
    shallow = replace(shallow, states=(shallow.states[1], shallow.states[2]))
    assert "takes no longer" in (advise(shallow).nothing or "")


def test_commands_quote_hostile_state_names() -> None:
    recording = run(row(2, "ipi", 400, 210.0), row(1, "ipi", 400, 3.0))
    odd = "C1'; touch x #"
    states = (recording.states[0], replace(recording.states[1], name=odd), recording.states[2])
    (result,) = advise(replace(recording, states=states)).suggestions[:1]
    words = shlex.split(result.commands[0])
    assert words[words.index("--states") + 1] == f"POLL,{odd}"
    assert words[-1] == "CMD"


def test_unread_counters_give_no_advice() -> None:
    recording = run(row(2, "ipi", 400, 210.0))
    unread = tuple(replace(item, entries=None) for item in recording.states)
    blind = replace(
        recording, states=unread, intervals=None, wakes=(), why_counters_only="requested"
    )
    assert "could not be read" in str(advise(blind).nothing)
    assert "reports no sleep states" in str(advise(replace(recording, states=())).nothing)
