"""What the guardian of a pin does after the pinning process was killed."""

from collections.abc import Callable

import pytest

from cstates.pinning.applying import apply
from cstates.pinning.claims import run_folder
from cstates.pinning.guardian import clean_up
from cstates.pinning.journal import PinOwner, new_journal, write_journal
from cstates.pinning.plan import make_plan
from tests.cstates.pinning.conftest import FakeMachine
from tests.cstates.pinning.machines import BENCH, GOVERNOR


def clean_up_after_a_kill(machine: FakeMachine, *, foreign: str = "") -> None:
    """Apply a pin, change the governor to ``foreign``, and call the guardian's function."""
    roots = machine.roots
    with run_folder(machine.run, roots) as folder:
        changes = make_plan(roots, BENCH).journaled
        write_journal(folder, 0, new_journal(roots, PinOwner(2**22 + 1, 1, "killed"), changes))
        apply(roots, changes)
        if foreign:
            machine.write(GOVERNOR, foreign)
        words = [str(word) for word in (0, folder, roots.sys, roots.proc, roots.files)]
        clean_up([], words)


def test_all_settings_are_restored_and_counted(
    fake: Callable[[str], FakeMachine], capfd: pytest.CaptureFixture[str]
) -> None:
    machine = fake("ice-lake-server")
    before = machine.content()
    clean_up_after_a_kill(machine)
    assert machine.content() == before
    assert machine.journals == []
    assert "its guardian restored" in capfd.readouterr().err


def test_a_setting_of_another_program_is_left_and_named(
    fake: Callable[[str], FakeMachine], capfd: pytest.CaptureFixture[str]
) -> None:
    machine = fake("ice-lake-server")
    clean_up_after_a_kill(machine, foreign="powersave")
    assert machine.read(GOVERNOR) == "powersave"
    assert GOVERNOR in capfd.readouterr().err
