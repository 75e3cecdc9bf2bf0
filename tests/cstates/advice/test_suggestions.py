"""Costs and advice for recordings with known results."""

import shlex
from dataclasses import replace

import pytest

from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise, exit_time
from tests.cstates.advice.runs import row, run


def test_advice_names_states_and_the_idle_cpus_with_their_siblings() -> None:
    advice = advise(run(row(1, "ipi", 100, 5.0), row(2, "ipi", 400, 210.0)))
    assert advice.nothing is None
    first = next(item for item in advice.suggestions if item.open_states == ("POLL", "C1"))
    assert first.cpus == (1, 3)
    assert first.gain_us == pytest.approx(205)
    assert first.min_us == pytest.approx(205 - 1.96 * (1 / 100 + 1 / 400) ** 0.5)
    assert first.sources == "measured now, measured then"
    assert first.us_per_s == pytest.approx(205 * 40)
    assert first.commands == (
        "stallscope pin --states POLL,C1 --cpus 1,3 -- CMD",
        "cpupower -c 1,3 idle-set -d 2",
    )
    assert "instead of C6" in first.costs[0]


def test_proven_suggestions_precede_greater_unproven_ones() -> None:
    advice = advise(run(row(1, "ipi", 100, 5.0), row(2, "ipi", 400, 210.0)))
    assert [item.proven for item in advice.suggestions] == [True, False]
    assert advice.suggestions[1].us_per_s > advice.suggestions[0].us_per_s


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
