"""After a kill at any point, also of the guardian, the next call restores identical files."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from cstates.pinning import session
from cstates.pinning.applying import apply
from cstates.pinning.claims import claim_level, run_folder
from cstates.pinning.journal import new_journal, write_journal
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.restoring import restore_journal
from cstates.pinning.session import PinListener, run_pinned
from tests.cstates.pinning.conftest import FakeMachine
from tests.long_tests import long_tests

Fake = Callable[[str], FakeMachine]
KILLS = long_tests(short=20, long=1000)
# Distance of the points at which a process ends: a run tests a third of them, from a random one.
STEP = long_tests(short=3, long=1)
REQUEST = bench_profile(PinRequest(cpus="1"))


def pin_and_restore(machine: FakeMachine, request: PinRequest = REQUEST) -> None:
    """Make and restore the changes of a pin, without its guardian and command."""
    roots = machine.roots
    with run_folder(machine.run, roots) as folder, claim_level(folder, roots, "killed") as claim:
        changes = make_plan(roots, request).journaled
        write_journal(folder, claim.level, new_journal(roots, claim.owner, changes))
        apply(roots, changes)
        restore_journal(roots, folder, claim.level)


def recover(machine: FakeMachine) -> None:
    with (
        run_folder(machine.run, machine.roots) as folder,
        claim_level(folder, machine.roots, "next"),
    ):
        pass


def in_child(work: Callable[[], None]) -> int:
    """Run the work in a forked process and return its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException:
        os._exit(9)


def killed(pid: int) -> bool:
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


def die_at(call: int) -> None:
    """Make this process kill itself at the n-th call that changes a file."""
    remaining = [call]

    def counted(name: str) -> Callable[..., object]:
        real = getattr(os, name)

        def count(*words: object, **named: object) -> object:
            remaining[0] -= 1
            if remaining[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*words, **named)

        return count

    for name in ("pwrite", "ftruncate", "rename", "fsync", "unlink"):
        setattr(os, name, counted(name))


@pytest.mark.long
def test_the_next_call_restores_after_a_kill_at_any_point(fake: Fake) -> None:
    """Every call that changes a file is a point; the loop ends after the last one."""
    machine = fake("zen4-server")
    before = machine.content()
    changed = 0

    def work(point: int) -> None:
        die_at(point)
        pin_and_restore(machine)

    for point in range(random.randrange(STEP), 1000, STEP):
        if not killed(in_child(lambda point=point: work(point))):
            break
        changed += machine.content() != before
        recover(machine)
        assert machine.content() == before, point
        assert not machine.journals
    assert point > 20
    assert changed > point // (2 * STEP), "most kills left something to restore"
    assert not [path for path in machine.run.iterdir() if path.name.endswith(".part")]


@pytest.mark.long
def test_tunables_are_restored_after_a_kill_at_any_point(switching: FakeMachine) -> None:
    """The kernel resets tunables when their governor returns; a kill may come right after that."""
    before = switching.content()
    request = PinRequest(governor="performance")

    def work(point: int) -> None:
        die_at(point)
        pin_and_restore(switching, request)

    for point in range(random.randrange(STEP), 1000, STEP):
        if not killed(in_child(lambda point=point: work(point))):
            break
        recover(switching)
        assert switching.content() == before, point
        assert not switching.journals
    assert point > 15
    assert switching.content() == before


def test_the_next_call_restores_after_kills_while_restoring(fake: Fake) -> None:
    machine = fake("zen4-server")
    before = machine.content()

    def half() -> None:
        die_at(24)
        pin_and_restore(machine)

    def second(point: int) -> None:
        die_at(point)
        recover(machine)

    assert killed(in_child(half))
    for point in range(1, 12):
        killed(in_child(lambda point=point: second(point)))
    recover(machine)
    assert machine.content() == before


@pytest.mark.long
def test_the_tree_is_identical_after_random_kills(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Complete pins with a command and without a guardian, as if it was killed too."""
    machine = fake("ice-lake-server")
    before = machine.content()
    chance = random.Random(6)
    none = SimpleNamespace(pipe=None, wait_ready=lambda: None, dismiss=lambda: None)
    monkeypatch.setattr(session, "start_pin_guardian", lambda *_: none)
    planned, announce = os.pipe()

    def work() -> None:
        listener = PinListener(
            on_plan=lambda _: os.write(announce, b"p") and None, on_message=lambda _: None
        )
        run_pinned(
            machine.place, REQUEST, ("sh", "-c", ":"), allow_partial=False, listener=listener
        )

    midway = 0
    for _ in range(KILLS):
        pid = in_child(work)
        os.read(planned, 1)
        time.sleep(chance.random() * 0.02)  # when it dies is chance; the outcome is not
        os.kill(pid, signal.SIGKILL)
        killed(pid)
        midway += machine.content() != before
        recover(machine)
        assert machine.content() == before
    print(f"{KILLS} kills, {midway} with the tree changed", file=sys.stderr)
    assert not machine.journals
    os.close(planned)
    os.close(announce)
