"""How measured wake-up times change the advice."""

from cstates.advice.suggestions import advise
from cstates.wake_latency import WakeFinding
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import gain_text
from tests.cstates.advice.runs import measured, row, run


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
