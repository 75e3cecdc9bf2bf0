"""The effect of closed states by their counters."""

from collections.abc import Callable

import pytest

from cstates.pinning.effects import Effect, StateEntries, check_effect, probe_effect
from cstates.pinning.idle_plan import ClosedState
from cstates.pinning.request import PinRequest
from tests.cstates.pinning.conftest import FakeMachine

CLOSED = (ClosedState(0, 2, "C6"), ClosedState(1, 2, "C6"))
BEFORE = StateEntries({(0, 0): 5, (0, 2): 100, (1, 0): 5, (1, 2): 100})


@pytest.mark.parametrize(
    ("after", "effect", "entries"),
    [
        ({(0, 0): 9, (0, 2): 100, (1, 0): 5, (1, 2): 100}, Effect.EFFECTIVE, 0),
        # An entry that began before is counted when it ends.
        ({(0, 0): 9, (0, 2): 101, (1, 0): 5, (1, 2): 101}, Effect.EFFECTIVE, 0),
        ({(0, 0): 9, (0, 2): 100, (1, 0): 5, (1, 2): 635}, Effect.WITHOUT_EFFECT, 535),
        (BEFORE.counts, Effect.NEVER_IDLED, 0),
        ({(0, 0): 9}, Effect.UNCOUNTED, 0),
        (
            {(0, 0): 9, (0, 2): 3, (1, 0): 9, (1, 2): 3},
            Effect.UNCOUNTED,
            0,
        ),  # hotplug: counters restart
    ],
)
def test_entries_into_closed_states_show_the_effect(
    after: dict[tuple[int, int], int], effect: Effect, entries: int
) -> None:
    finding = check_effect(BEFORE, StateEntries(after), CLOSED)
    assert (finding.effect, finding.entries) == (effect, entries)


def test_states_without_effect_are_named() -> None:
    finding = check_effect(BEFORE, StateEntries({(0, 2): 100, (1, 2): 120}), CLOSED)
    assert finding.states == (CLOSED[1],)


def test_nothing_closed_is_not_effective() -> None:
    assert check_effect(BEFORE, BEFORE, ()).effect is Effect.NOTHING_CLOSED


def test_the_effect_on_a_recorded_machine_is_unknown(fake: Callable[[str], FakeMachine]) -> None:
    def wait(_: float) -> None:
        pytest.fail("there is nothing to wait for")

    machine = fake("ice-lake-server")
    assert probe_effect(machine.roots, CLOSED, wait).effect is Effect.UNCOUNTED
    assert machine.pin(PinRequest(states=("C1",)), "true").during.effect is Effect.UNCOUNTED
