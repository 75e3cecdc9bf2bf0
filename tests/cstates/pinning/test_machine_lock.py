"""Pins with different journal folders exclude each other, in containers too."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cstates.pinning.machine_lock import lock_holder, machine_lock
from stallscope.system_files import Roots
from tests.cstates.pinning.conftest import FakeMachine

Fake = Callable[[str], FakeMachine]

TAKE = (
    "from cstates.pinning.machine_lock import machine_lock\n"
    "from stallscope.errors import UnableError\n"
    "from stallscope.system_files import Roots\n"
    "try:\n"
    "    with machine_lock(Roots()) as locks:\n"
    "        print('taken', len(locks))\n"
    "except UnableError as error:\n"
    "    print(error.message)\n"
)


# A container with its own network has its own sysfs.
CONTAINER = ("unshare", "-mn", "sh", "-c", 'mount -t sysfs none /sys && exec "$@"', "sh")


def test_trees_do_not_exclude_each_other(fake: Fake) -> None:
    with machine_lock(fake("ice-lake-server").roots), machine_lock(fake("zen4-server").roots):
        pass


def test_the_holder_is_named_by_the_table_of_locks(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    status = os.fstat(descriptor)
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    table = tmp_path / "locks"
    for line, pid in ((f"1: FLOCK  ADVISORY  WRITE 77 {place} 0 EOF", 77), ("1: x", None)):
        table.write_text(f"0: FLOCK  ADVISORY  WRITE 5 00:00:1 0 EOF\n{line}\n")
        assert lock_holder(descriptor, tmp_path) == pid
    os.close(descriptor)


@pytest.mark.live
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: the locks are files of root")
@pytest.mark.parametrize("prefix", [(), ("unshare", "-m"), CONTAINER])
def test_the_lock_of_the_live_machine_reaches_containers(prefix: tuple[str, ...]) -> None:
    with machine_lock(Roots()) as locks:
        assert locks
        other = subprocess.run(
            [*prefix, sys.executable, "-c", TAKE],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    if "permitted" in other.stderr or "denied" in other.stderr:
        pytest.skip("needs root: namespaces cannot be made here")
    assert "already pinned by process" in other.stdout, other.stderr


@pytest.mark.live
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: setpriv changes the user")
def test_another_user_cannot_hold_the_lock() -> None:
    """Otherwise any user could keep root from pinning."""
    command = ["setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", TAKE]
    other = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if "permitted" in other.stderr or "denied" in other.stderr:
        pytest.skip("needs root: this checkout is not readable by other users")
    assert other.stdout == "taken 0\n", other.stderr
