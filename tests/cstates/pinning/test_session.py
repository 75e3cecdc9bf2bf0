"""Complete pinned runs on generated machines."""

import errno
import fcntl
import os
import threading
from collections.abc import Callable

import pytest

from cstates.pinning import applying, restoring, session
from cstates.pinning.claims import claim_level, lock_owner, open_lock, run_folder
from cstates.pinning.effects import Effect, EffectCheck
from cstates.pinning.idle_plan import ClosedState
from cstates.pinning.journal import new_journal, read_journal, write_journal
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.restoring import RestoreStatus
from cstates.pinning.status import read_status
from stallscope.errors import TargetError, UnableError
from stallscope.system_files import Roots
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"
GOVERNOR = f"{CPUS}/cpufreq/policy0/scaling_governor"
TUNABLE = f"{CPUS}/cpufreq/ondemand/up_threshold"
BENCH = bench_profile(PinRequest())


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


def test_a_failed_write_rolls_back_earlier_ones(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake("skylake-client")
    before = machine.content()
    real = applying.write_value
    written: list[str] = []

    def failing(roots: Roots, path: str, value: str) -> str:
        if len(written) == 5:
            raise OSError(22, os.strerror(22))
        written.append(path)
        return real(roots, path, value)

    monkeypatch.setattr(applying, "write_value", failing)
    with pytest.raises(UnableError, match="Invalid argument; all earlier changes were undone"):
        machine.pin(BENCH, "true")
    assert len(written) == 5
    assert machine.content() == before
    assert not machine.journals


def test_a_clipped_value_is_a_failed_write(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = fake("skylake-client")
    before = machine.content()
    real = applying.write_value

    def cutting(roots: Roots, path: str, value: str) -> str:
        return real(roots, path, "2700000" if path.endswith("max_freq") else value)

    monkeypatch.setattr(applying, "write_value", cutting)
    with pytest.raises(UnableError, match="it reads '2700000'"):
        machine.pin(PinRequest(frequency="base"), "true")
    assert machine.content() == before


def test_settings_changed_by_another_program_are_left_and_reported(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    place = f"{machine.tree}{GOVERNOR}"
    result = machine.pin(BENCH, "sh", "-c", f"echo powersave > {place}")
    assert [item.change.path for item in result.foreign] == [GOVERNOR]
    assert machine.read(GOVERNOR) == "powersave"
    machine.write(GOVERNOR, "schedutil")
    assert machine.content() == before


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


def test_testing_the_lock_does_not_block_a_pin(fake: Fake) -> None:
    """`pin status` holds the lock for a moment between two pins of one process."""
    machine = fake("ice-lake-server")
    request = PinRequest(states=("C1",))
    assert machine.pin(request, "true").status == 0
    with run_folder(machine.run, machine.roots) as folder:
        assert lock_owner(folder, 0) is None
        looked = open_lock(folder, 0)
        fcntl.flock(looked, fcntl.LOCK_EX)
        looking = threading.Timer(0.2, os.close, (looked,))
        looking.start()
        assert machine.pin(request, "true").status == 0
        looking.join()


@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_a_lock_that_another_user_could_hold_is_rejected(fake: Fake, mode: int) -> None:
    """A tree from another machine could name any process there, to be ended as an inner pin."""
    machine = fake("ice-lake-server")
    machine.run.mkdir(mode=0o700)
    lock = machine.run / "pin-3.lock"
    lock.write_text(f'{{"pid": {os.getpid()}, "start_ticks": 1, "name": "victim"}}')
    lock.chmod(mode)
    with pytest.raises(UnableError, match="not a file that only this user can open"):
        machine.pin(PinRequest(states=("C1",)), "true")
    lock.chmod(0o600)
    assert machine.pin(PinRequest(states=("C1",)), "true").status == 0


def test_a_lock_that_becomes_unusable_does_not_prevent_restoring(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    machine.run.mkdir(mode=0o700)
    result = machine.pin(PinRequest(states=("C1",)), "mkdir", str(machine.run / "pin-5.lock"))
    assert result.status == 0
    assert machine.content() == before
    assert not machine.journals


def test_an_unreadable_journal_folder_is_an_error(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    assert read_status(machine.roots, machine.run) == ()
    machine.run.write_text("a file")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins: Not a directory"):
        read_status(machine.roots, machine.run / "inside")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins"):
        read_status(machine.roots, machine.run)
