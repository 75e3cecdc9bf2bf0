"""A lock on the machine itself, so that pins with different journal folders exclude each other.

Containers have their own /run and often their own network namespace, in which sysfs has other
inodes and abstract sockets another name space. Two files are locked with flock(2), because neither
reaches every container: a file of the sysfs that is pinned, and the latency device in devtmpfs,
which exists once per machine and can be mounted without a place by a process with CAP_SYS_ADMIN.
Both can be opened by root only, so that no other user can block a pin. The reasons and what was
measured are in docs/decisions/0033-pin-and-restore.md.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from stallscope.errors import UnableError
from stallscope.system_calls import detached_mount
from stallscope.system_files import Roots, read_text

TIMEOUT_S = 1.0  # for a pin that is ending: its processes close their locks one after the other
_POLL_S = 0.01
_SYSFS_FILE = "bus/cpu/drivers_probe"  # mode 0200 on every kernel; nothing is written to it
_DEVICE = "cpu_dma_latency"  # mode 0600; opening it requests no limit


@contextmanager
def machine_lock(roots: Roots) -> Iterator[tuple[int, ...]]:
    """Yield the descriptors of the machine's locks; they are held until all copies are closed.

    A lock that this process may not open is left out. Raises UnableError if another pin holds one.
    """
    openers = (_open_sysfs_file, _open_device) if roots.is_live else (_open_tree,)
    with ExitStack() as stack:
        descriptors = []
        for opener in openers:
            with suppress(OSError):
                descriptor = opener(roots)
                stack.callback(os.close, descriptor)
                descriptors.append(descriptor)
        for descriptor in descriptors:
            _lock(descriptor)
        yield tuple(descriptors)


def _open_sysfs_file(roots: Roots) -> int:
    return os.open(roots.sys / _SYSFS_FILE, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _open_device(roots: Roots) -> int:
    """Return the device in devtmpfs, or that in /dev, which is the same except in containers."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(OSError):
        devices = detached_mount("devtmpfs")
        try:
            return os.open(_DEVICE, flags, dir_fd=devices)
        finally:
            os.close(devices)
    return os.open(roots.files / "dev" / _DEVICE, flags)


def _open_tree(roots: Roots) -> int:
    """Return the sys folder of a recorded machine."""
    return os.open(roots.sys, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _lock(descriptor: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            pid = lock_holder(descriptor)
            holder = f"process {pid}" if pid else "a process of another container"
            raise UnableError(
                f"this machine is already pinned by {holder}, with another journal folder",
                "wait for its end; stallscope pin status --run-root DIR shows what it changed",
            )
        time.sleep(_POLL_S)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_holder(descriptor: int, proc: Path = Path("/proc")) -> int | None:
    """Return the process that locked a file, by proc_locks(5); None if it is not visible here."""
    status = os.fstat(descriptor)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in (read_text(proc / "locks") or "").splitlines():
        words = line.split()
        if len(words) == 8 and words[1] == "FLOCK" and words[5] == device and words[4] != "0":
            return int(words[4]) if words[4].isdecimal() else None
    return None
