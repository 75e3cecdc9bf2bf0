"""Simulated governors as text."""

from harness.cstates.simulate.result import ChoiceAgreement, SimulatedRow
from harness.cstates.simulate.text import lines
from tests.harness.cstates.simulate.results import result, row


def text(*rows: SimulatedRow) -> str:
    return "\n".join(lines(result(*rows), 100))


def test_a_row_has_shares_delays_and_the_residency_of_each_state() -> None:
    shown = text(row("menu", None, 1234.5))
    assert "\x1b" not in shown
    assert shown.startswith("10 idle intervals of idle\\x1b.csv on the states of vm:haltpoll")
    head, menu = (line.split() for line in shown.splitlines()[3:5])
    assert head[-2:] == ["POLL", "C1"]
    assert menu[0] == "menu"
    assert {"3.1", "1,234", "20"} <= set(menu)


def test_an_unknown_rate_is_not_zero() -> None:
    assert "n/a" in text(row("menu", None, None))


def test_the_agreement_is_a_count_and_a_trace_with_one_state_says_little() -> None:
    single = ChoiceAgreement(share=0.5, same=5, of=10, states_entered=1)
    shown = text(row("menu", single, 1.0), row("teo", None, 1.0))
    assert "the recorded kernel entered: menu 5 of 10." in shown
    assert "this agreement means little" in " ".join(shown.split())
    several = ChoiceAgreement(share=0.5, same=5, of=10, states_entered=2)
    assert "means little" not in text(row("menu", several, 1.0))
