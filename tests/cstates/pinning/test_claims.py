"""The locks that a pin holds."""

import fcntl
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cstates.pinning.claims import claim_level, lock_owner, open_lock, run_folder
from cstates.pinning.request import PinRequest
from stallscope.errors import UnableError
from tests.cstates.pinning.conftest import FakeMachine
from tests.cstates.pinning.machines import Fake


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


Fake = Callable[[str], FakeMachine]


def test_pins_of_one_tree_with_two_journal_folders_exclude_each_other(
    fake: Fake, tmp_path: Path
) -> None:
    machine = fake("ice-lake-server")
    with (
        run_folder(machine.run, machine.roots) as folder,
        claim_level(folder, machine.roots, "first"),
        run_folder(tmp_path / "other", machine.roots) as other,
        pytest.raises(UnableError, match=f"pinned by process {os.getpid()}, with another"),
        claim_level(other, machine.roots, "second"),
    ):
        pytest.fail("both are pinned")
    with (
        run_folder(tmp_path / "other", machine.roots) as other,
        claim_level(other, machine.roots, "second") as claim,
    ):
        assert claim.level == 0
