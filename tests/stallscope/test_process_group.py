"""A process group is ended without its leader, and a later group with its number is spared."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stallscope import process_group
from stallscope.process_group import ProcessGroup, group_of_leader, start_ticks

LAST_PID = Path("/proc/sys/kernel/ns_last_pid")
LIMIT_S = 20


@pytest.fixture(params=["by the pidfd", "by a search"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to end a group: Linux before 6.9 rejects the flag."""
    if request.param == "by a search":
        monkeypatch.setattr(process_group, "_GROUP_FLAG", 1 << 20)


@pytest.fixture
def leader() -> Iterator[subprocess.Popen[str]]:
    """A shell that leads a group, with a member that prints its pid."""
    words = ["sh", "-c", "sleep 600 & echo $!; read line"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        yield process
        process.kill()


def group_of(process: subprocess.Popen[str]) -> ProcessGroup:
    group = group_of_leader(process.pid, start_ticks(process.pid))
    assert group is not None
    return group


@pytest.mark.usefixtures("kind")
def test_a_group_ends_after_its_leader_was_reaped(leader: subprocess.Popen[str]) -> None:
    assert leader.stdout is not None
    assert leader.stdout.readline()
    group = group_of(leader)
    leader.kill()
    leader.wait(LIMIT_S)
    group.kill()
    assert leader.stdout.read() == ""  # the member, which holds the pipe, has ended


def test_a_leader_is_identified_by_its_start(leader: subprocess.Popen[str]) -> None:
    assert group_of_leader(leader.pid, start_ticks(leader.pid) + 1) is None
    leader.kill()
    assert leader.wait(LIMIT_S)
    assert group_of_leader(leader.pid, 0) is None


@pytest.mark.usefixtures("needs_root", "kind")
def test_a_later_group_with_the_same_number_is_spared() -> None:
    if not LAST_PID.exists():
        pytest.skip("needs the kernel's ns_last_pid")
    first = subprocess.Popen(["sleep", "600"], process_group=0)
    group = group_of_leader(first.pid, start_ticks(first.pid))
    assert group is not None
    first.kill()
    first.wait(LIMIT_S)
    later = process_with_pid(first.pid)
    if later is None:
        pytest.skip("needs the kernel's pid allocation undisturbed")
    with later:
        group.kill()
        with suppress(subprocess.TimeoutExpired):
            later.wait(0.2)
        ended = later.poll()
        later.kill()
    assert ended is None


def process_with_pid(pid: int) -> subprocess.Popen[bytes] | None:
    """A process with this pid that leads a session; None if other processes get the number."""
    for _ in range(100):
        LAST_PID.write_text(str(pid - 1))
        process = subprocess.Popen(["sleep", "600"], start_new_session=True)
        if process.pid == pid:
            return process
        process.kill()
        process.wait(LIMIT_S)
    return None
