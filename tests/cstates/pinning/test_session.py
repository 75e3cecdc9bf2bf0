"""Complete pinned runs on generated machines."""

import fcntl
import os
import threading
from collections.abc import Callable

import pytest

from cstates.pinning import applying, restoring, session
from cstates.pinning.claims import claim_level, lock_owner, open_lock, run_folder
from cstates.pinning.effects import Effect, EffectCheck
from cstates.pinning.idle_plan import ClosedState
from cstates.pinning.journal import read_journal
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.status import read_status
from stallscope.errors import TargetError, UnableError
from stallscope.system_files import Roots
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]
CPUS = "/sys/devices/system/cpu"
GOVERNOR = f"{CPUS}/cpufreq/policy0/scaling_governor"
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


def test_settings_of_an_offline_cpu_are_reported_and_the_rest_restored(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    folder = f"{machine.tree}{CPUS}/cpu3/cpuidle"
    result = machine.pin(PinRequest(states=("C1",)), "mv", folder, f"{machine.tree}/away")
    assert {item.change.path for item in result.restored.settings if item.status is restoring.RestoreStatus.GONE} == {
        f"{CPUS}/cpu3/cpuidle/state{index}/disable" for index in (2, 3)
    }  # fmt: skip
    assert machine.read(f"{CPUS}/cpu1/cpuidle/state2/disable") == "0"
    assert not machine.journals


def test_tunables_that_a_switch_resets_are_restored(fake: Fake) -> None:
    machine = fake("acpi-cpufreq-server")
    tunable = f"{CPUS}/cpufreq/ondemand/up_threshold"
    for name, odd in (("binary", b"\xff\x00\n"), ("empty", b"")):
        (machine.tree / tunable[1:]).with_name(name).write_bytes(odd)
    before = machine.content()
    request = PinRequest(governor="performance")
    machine.pin(request, "sh", "-c", f"echo 95 > {machine.tree}{tunable}")
    assert machine.content() == before


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
    from cstates.pinning.journal import new_journal, write_journal
    from cstates.pinning.plan import make_plan

    changes = make_plan(machine.roots, BENCH).journaled
    with (
        run_folder(machine.run, machine.roots) as folder,
        claim_level(folder, machine.roots, "killed") as ours,
    ):
        write_journal(folder, 0, new_journal(machine.roots, ours.owner, changes))
        applying.apply(machine.roots, changes)


def test_the_next_call_restores_a_left_over_journal(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    left_by_a_killed_pin(machine)
    assert machine.content() != before
    with run_folder(machine.run, machine.roots) as folder:
        assert read_journal(folder, 0) is not None
        with claim_level(folder, machine.roots, "next") as ours:
            assert len(ours.recovered) == 1
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
    failed = result.restored.with_status(restoring.RestoreStatus.FAILED)
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


def test_an_unreadable_journal_folder_is_an_error(fake: Fake) -> None:
    machine = fake("ice-lake-server")
    assert read_status(machine.roots, machine.run) == ()
    machine.run.write_text("a file")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins: Not a directory"):
        read_status(machine.roots, machine.run / "inside")
    with pytest.raises(UnableError, match="cannot keep or read journals of pins"):
        read_status(machine.roots, machine.run)
