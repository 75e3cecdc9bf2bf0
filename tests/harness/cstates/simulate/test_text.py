"""Simulated governors as text."""

from harness.cstates.simulate.result import (
    ChoiceAgreement,
    SimulatedExits,
    SimulatedRow,
    SimulateResult,
)
from harness.cstates.simulate.text import lines


def row(governor: str, agreement: ChoiceAgreement | None, per_s: float | None) -> SimulatedRow:
    return SimulatedRow(
        governor=governor,
        kernel="",
        intervals=10,
        entries=10,
        too_deep_share=0.25,
        too_shallow_share=0.5,
        exit_us=SimulatedExits(mean=3.14159, p50=1, p99=20, per_s=per_s),
        residency={"POLL": 0.25, "C1": 0.75},
        agreement=agreement,
    )


def text(*rows: SimulatedRow) -> str:
    result = SimulateResult(
        table="vm:haltpoll", trace="idle\x1b.csv", intervals=10, duration_s=1, tick="recorded",
        tick_hz=250, latency_limit_us=None, closed=(), rows=rows,
    )  # fmt: skip
    return "\n".join(lines(result, 100))


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
