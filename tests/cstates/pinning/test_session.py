"""Complete pinned runs on generated machines."""

import pytest

from cstates.pinning import session
from cstates.pinning.effects import Effect, EffectCheck
from cstates.pinning.idle_plan import ClosedState
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from stallscope.errors import TargetError, UnableError
from stallscope.system_files import Roots
from tests.cstates.pinning.conftest import FakeMachine
from tests.cstates.pinning.machines import BENCH, GOVERNOR, TUNABLE, Fake


def test_the_command_sees_the_pin_and_all_is_restored(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    result = machine.pin(BENCH, "grep", "-qx", "performance", f"{machine.tree}{GOVERNOR}")
    assert result.status == 0
    assert machine.content() == before
    assert not machine.journals


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -SEGV $$", 139)])
def test_a_failing_commands_status_is_returned_and_all_is_restored(
    fake: Fake, script: str, status: int
) -> None:
    machine = fake("zen4-server")
    before = machine.content()
    assert machine.pin(BENCH, "sh", "-c", script).status == status
    assert machine.content() == before


def test_a_missing_command_leaves_nothing_pinned(fake: Fake) -> None:
    machine = fake("zen4-server")
    before = machine.content()
    with pytest.raises(TargetError, match="no-such-program"):
        machine.pin(BENCH, "no-such-program")
    assert machine.content() == before
    assert not machine.journals


def test_settings_changed_by_another_program_are_left_and_reported(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    place = f"{machine.tree}{GOVERNOR}"
    result = machine.pin(BENCH, "sh", "-c", f"echo powersave > {place}")
    assert [item.change.path for item in result.foreign] == [GOVERNOR]
    assert machine.read(GOVERNOR) == "powersave"
    machine.write(GOVERNOR, "schedutil")
    assert machine.content() == before


def test_tunables_that_cannot_be_restored_exactly_are_not_kept(switching: FakeMachine) -> None:
    for name, odd in (("binary", b"\xff\x00\n"), ("empty", b""), ("lines", b"1\n2\n\n")):
        (switching.tree / TUNABLE[1:]).with_name(name).write_bytes(odd)
    plan = make_plan(switching.roots, PinRequest(governor="performance"))
    stored = {change.path for change in plan.journaled if change.new is None}
    assert TUNABLE in stored
    assert not any(path.endswith(("/binary", "/empty", "/lines")) for path in stored)


def test_a_file_that_cannot_be_restored_exactly_is_not_changed(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    place = machine.tree / GOVERNOR[1:]
    place.write_bytes(place.read_bytes().strip())
    before = machine.content()
    with pytest.raises(UnableError, match="cannot be restored exactly"):
        machine.pin(PinRequest(governor="performance"), "true")
    assert machine.content() == before
    assert not machine.journals


def test_an_ineffective_pin_is_restored_and_another_mechanism_used(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A governor that ignores `disable`, although it is not known to."""
    machine = fake("skylake-client")
    before = machine.content()
    probes = []

    def disproved(roots: Roots, closed: tuple[ClosedState, ...]) -> EffectCheck:
        probes.append(len(closed))
        if machine.content() == before:  # nothing written: the second way is a held descriptor
            return EffectCheck(Effect.EFFECTIVE)
        return EffectCheck(Effect.WITHOUT_EFFECT, 535, closed[:1])

    monkeypatch.setattr(session, "probe_effect", disproved)
    messages: list[str] = []
    result = machine.pin(
        PinRequest(states=("C1",), force_effective=True), "true", messages=messages
    )
    assert (result.plan.held_us, result.plan.journaled) == (2, ())
    assert result.probed.effect is Effect.EFFECTIVE
    assert len(probes) == 2
    assert "535 entries" in messages[0]
    plain = machine.pin(PinRequest(states=("C1",)), "true")
    assert plain.probed.effect is Effect.WITHOUT_EFFECT
    assert machine.content() == before
