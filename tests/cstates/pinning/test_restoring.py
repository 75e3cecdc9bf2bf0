"""What is restored after a pin, and what stays in its journal."""

import errno
import os

import pytest

from cstates.pinning import applying, restoring
from cstates.pinning.claims import claim_level, run_folder
from cstates.pinning.journal import new_journal, read_journal, write_journal
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest
from cstates.pinning.restoring import RestoreStatus
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.cstates.pinning.conftest import FakeMachine
from tests.cstates.pinning.machines import BENCH, CPUS, GOVERNOR, TUNABLE, Fake


def test_settings_of_an_offline_cpu_are_restored_when_it_returns(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    folder = machine.tree / f"{CPUS[1:]}/cpu3/cpuidle"
    away = machine.tree / "away"
    result = machine.pin(PinRequest(states=("C1",)), "mv", str(folder), str(away))
    absent = result.restored.with_status(RestoreStatus.GONE)
    assert {setting.change.path for setting in absent} == {
        f"{CPUS}/cpu3/cpuidle/state{index}/disable" for index in (2, 3)
    }
    assert machine.read(f"{CPUS}/cpu1/cpuidle/state2/disable") == "0"
    assert machine.journals == ["pin-0.json"]
    messages: list[str] = []
    machine.pin(PinRequest(states=("C1",), cpus="0"), "true", messages=messages)
    assert "2 more cannot be restored yet" in messages[0]
    away.rename(folder)
    machine.pin(PinRequest(states=("C1",)), "true")
    assert machine.content() == before
    assert not machine.journals


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EIO, errno.ENFILE])
def test_a_setting_that_cannot_be_read_stays_in_the_journal(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    machine = fake("zen4-server")
    before = machine.content()
    real = restoring.read_setting

    def unreadable(roots: Roots, path: str) -> str:
        if path == GOVERNOR:
            raise OSError(code, os.strerror(code))
        return real(roots, path)

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "read_setting", unreadable)
        result = machine.pin(BENCH, "true")
        failed = result.restored.with_status(RestoreStatus.FAILED)
        assert [(setting.change.path, setting.detail) for setting in failed] == [
            (GOVERNOR, os.strerror(code))
        ]
        # The next pin keeps the entry, although it writes its own journal.
        machine.pin(PinRequest(states=("C1",)), "true")
    assert machine.journals == ["pin-0.json"]
    with (
        run_folder(machine.run, machine.roots) as folder,
        claim_level(folder, machine.roots, "next"),
    ):
        pass
    assert machine.content() == before
    assert not machine.journals


def test_an_unreadable_boot_id_keeps_the_journal(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake("ice-lake-server")
    left_by_a_killed_pin(machine)

    def full(*_: object) -> str:
        raise UnableError("cannot read the id of this boot: Too many open files in system")

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "boot_id", full)
        with pytest.raises(UnableError, match="Too many open files"):
            machine.pin(BENCH, "true")
    assert machine.journals == ["pin-0.json"]


def test_tunables_that_a_switch_resets_are_restored(switching: FakeMachine) -> None:
    before = switching.content()
    result = switching.pin(PinRequest(governor="performance"), "test", "!", "-e", TUNABLE)
    assert result.status == 0
    assert switching.content() == before


def test_tunables_that_another_program_changed_are_left(switching: FakeMachine) -> None:
    """The CPUs that are not pinned keep the governor, and so its tunables."""
    before = switching.content()
    place = switching.tree / TUNABLE[1:]
    request = PinRequest(governor="performance", cpus="1")
    result = switching.pin(request, "sh", "-c", f"echo 60 > {place}")
    assert place.read_text() == "60\n"
    foreign = result.restored.with_status(RestoreStatus.FOREIGN)
    assert [setting.change.path for setting in foreign] == [TUNABLE]
    place.write_bytes(before[TUNABLE[1:]])
    assert switching.content() == before
    assert not switching.journals


def test_a_journal_of_another_boot_is_discarded(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    left_by_a_killed_pin(machine)
    machine.write("/proc/sys/kernel/random/boot_id", "11111111-0000-4000-8000-000000000000")
    before = machine.content()
    messages: list[str] = []
    machine.pin(PinRequest(states=("C1",)), "true", messages=messages)
    assert any("another boot" in line for line in messages)
    assert machine.content() == before


def left_by_a_killed_pin(machine: FakeMachine) -> None:
    """Write a journal and its changes, as if all processes had then been killed."""
    changes = make_plan(machine.roots, BENCH).journaled
    with (
        run_folder(machine.run, machine.roots) as folder,
        claim_level(folder, machine.roots, "killed") as claim,
    ):
        write_journal(folder, 0, new_journal(machine.roots, claim.owner, changes))
        applying.apply(machine.roots, changes)


def test_the_next_call_restores_a_left_over_journal(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    left_by_a_killed_pin(machine)
    assert machine.content() != before
    with run_folder(machine.run, machine.roots) as folder:
        assert read_journal(folder, 0) is not None
        with claim_level(folder, machine.roots, "next") as claim:
            assert len(claim.recovered) == 1
    assert machine.content() == before
    assert not machine.journals


def test_a_setting_that_cannot_be_restored_stays_in_the_journal(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake("zen4-server")
    before = machine.content()
    real = restoring.write_value

    def stuck(roots: Roots, path: str, value: str) -> str:
        if path == GOVERNOR:
            raise OSError(30, os.strerror(30))
        return real(roots, path, value)

    monkeypatch.setattr(restoring, "write_value", stuck)
    result = machine.pin(BENCH, "true")
    failed = result.restored.with_status(RestoreStatus.FAILED)
    assert [(item.change.path, item.detail) for item in failed] == [
        (GOVERNOR, "Read-only file system")
    ]
    monkeypatch.undo()
    with run_folder(machine.run, machine.roots) as folder:
        kept = read_journal(folder, 0)
        assert kept is not None
        assert [item.path for item in kept.entries] == [GOVERNOR]
        with claim_level(folder, machine.roots, "next"):
            pass
    assert machine.content() == before


def test_turbo_is_restored_before_the_limits(fake: Fake) -> None:
    machine = fake("skylake-client")
    outcomes = machine.pin(BENCH, "true").restored.settings
    order = [item.change.knob for item in outcomes]
    assert order.index("no-turbo") < order.index("max-frequency") < order.index("governor")
