"""Plans, results and the status of pins as text."""

from collections.abc import Callable

from msgspec import structs

from cstates.pinning.effects import Effect, EffectCheck
from cstates.pinning.idle_plan import ClosedState
from cstates.pinning.knobs import change
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import JournalRestore, RestoredSetting, RestoreStatus
from harness.pin.result import PinStatusResult, plan_result, restore_result
from harness.pin.text import (
    effect_lines,
    plan_lines,
    restore_lines,
    restore_result_lines,
    status_lines,
)
from tests.cstates.pinning.conftest import FakeMachine

GOVERNOR = change("governor", "powersave", "performance", policy="policy0")


def test_changes_that_differ_by_cpu_only_share_a_line(fake: Callable[[str], FakeMachine]) -> None:
    plan = make_plan(fake("ice-lake-server").roots, PinRequest(states=("C1",), cpus="1"))
    lines = plan_lines(plan_result(plan))
    assert lines[0] == "pin: CPUs 1, and their siblings 3"
    (line,) = [line for line in lines if "state2/disable" in line]
    assert line.endswith("/sys/devices/system/cpu/cpuN/cpuidle/state2/disable: 0 -> 1 (N: 1,3)")


def test_a_plan_without_changes_says_why(fake: Callable[[str], FakeMachine]) -> None:
    result = plan_result(make_plan(fake("ice-lake-server").roots, PinRequest(cpus="1")))
    complete = structs.replace(result, plan=(), partial=False, left_out=())
    assert "all settings have the requested values" in plan_lines(complete)[1]
    partial = structs.replace(complete, partial=True)
    assert plan_lines(partial)[1] == "  nothing to change"


def test_only_settings_that_were_not_restored_are_listed() -> None:
    statuses = (RestoreStatus.RESTORED, RestoreStatus.FOREIGN, RestoreStatus.FAILED)
    journal = JournalRestore(tuple(RestoredSetting(GOVERNOR, item, "x") for item in statuses))
    foreign, failed = restore_lines(journal)
    assert foreign.endswith("(it reads x)")
    assert failed.endswith(": x")
    assert restore_result_lines(restore_result([journal]))[-1] == "1 settings restored"
    assert restore_result_lines(restore_result([])) == ["nothing to restore"]
    assert "of another boot" in restore_lines(JournalRestore(other_boot=True))[0]


def test_entries_into_closed_states_are_named() -> None:
    closed = (ClosedState(0, 2, "C6"), ClosedState(1, 2, "C6"))
    (line,) = effect_lines(EffectCheck(Effect.WITHOUT_EFFECT, 7, closed))
    assert "7 entries into C6 during the run" in line
    assert effect_lines(EffectCheck(Effect.NOTHING_CLOSED, 0, ())) == []


def test_without_pins_the_status_says_so() -> None:
    assert status_lines(PinStatusResult(pins=())) == ["nothing is pinned"]
