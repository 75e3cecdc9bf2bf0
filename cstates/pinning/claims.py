"""Claims on the machine: nested levels, each with a lock that the kernel releases with its holders.

A pinning process and its guardian hold the lock of their level. If the lock is free, both have
ended, and a journal of that level is left over; it is restored first. Pins inside a pinned command
take the next level. Any other pin is rejected with the owner's name. Level 0 holds the machine's
lock too, for pins with other journal folders.
"""

import fcntl
import json
import os
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cstates.pinning.journal import (
    PinOwner,
    current_owner,
    decode_owner,
    file_name,
    owner_document,
    process_parent,
    read_small,
)
from cstates.pinning.machine_lock import machine_lock
from cstates.pinning.restoring import JournalRestore, restore_journal
from stallscope.errors import UnableError
from stallscope.private_directory import private_directory
from stallscope.system_files import Roots

MAX_LEVELS = 8
TIMEOUT_S = 15.0  # for a pin that is beginning or ending, also on a busy machine
_POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class PinClaim:
    """A level held until its locks are closed, and what was restored before."""

    folder: int
    level: int
    locks: tuple[int, ...]  # of the level, and of the machine at level 0
    owner: PinOwner
    recovered: tuple[JournalRestore, ...] = field(default=())


def default_run_folder(roots: Roots) -> Path:
    """Return the folder of the journals for the machine of these roots."""
    return roots.files / "run" / "stallscope"


@contextmanager
def run_folder(path: Path, roots: Roots) -> Iterator[int]:
    """Yield a descriptor of the private journal folder; UnableError if it cannot be made."""
    with ExitStack() as stack:
        try:
            if not roots.is_live:
                path.parent.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(private_directory(path))
        except OSError as error:
            raise folder_error(path, error) from error
        yield folder


def folder_error(path: Path, error: OSError) -> UnableError:
    """Return the error for a journal folder that this user may not open or make."""
    return UnableError(
        f"{path}: cannot keep or read journals of pins: {error.strerror or error}",
        "run as root, or name another folder with --run-root",
    )


@contextmanager
def claim_level(folder: int, roots: Roots, name: str) -> Iterator[PinClaim]:
    """Yield the first free level for this process, after restoring left-over journals.

    Raises UnableError with the owner's name if another pin, except an outer one, is held, or if
    another journal folder's pin holds the machine.
    """
    owner = current_owner(name)
    level, lock = _free_level(folder)
    try:
        with ExitStack() as stack:
            machine = stack.enter_context(machine_lock(roots)) if level == 0 else ()
            _remove_partial_files(folder, level)
            os.ftruncate(lock, 0)
            os.pwrite(lock, json.dumps(owner_document(owner)).encode(), 0)
            recovered = [*restore_deeper(folder, roots, level)]
            restored = restore_journal(roots, folder, level)
            recovered += [restored] if restored else []
            yield PinClaim(folder, level, (lock, *machine), owner, tuple(recovered))
    finally:
        # The file has no owner from now on. Otherwise a process that tests the lock at this moment
        # could be mistaken for this one.
        os.ftruncate(lock, 0)
        os.close(lock)


def restore_deeper(folder: int, roots: Roots, level: int) -> tuple[JournalRestore, ...]:
    """Return what was restored of deeper levels, after these have ended.

    Raises UnableError if one is still held after the timeout.
    """
    results = []
    for deeper in range(MAX_LEVELS - 1, level, -1):
        if not _exists(folder, f"pin-{deeper}.lock"):
            continue
        lock = open_lock(folder, deeper)
        try:
            if not _try_lock(lock, TIMEOUT_S):
                raise already_pinned(lock_owner(folder, deeper))
            restored = restore_journal(roots, folder, deeper)
            results += [restored] if restored else []
        finally:
            os.close(lock)
    return tuple(results)


def end_deeper(folder: int, level: int) -> None:
    """End running pins inside this level by SIGTERM, then SIGKILL; each of them restores.

    Their command began inside ours, which has ended, and they would restore our values.
    """
    for deeper in range(MAX_LEVELS - 1, level, -1):
        for number in (signal.SIGTERM, signal.SIGKILL):
            owner = lock_owner(folder, deeper)
            if owner is None or not is_locked(folder, deeper):
                break
            _send_signal(owner, number)
            lock = open_lock(folder, deeper)
            ended = _try_lock(lock, TIMEOUT_S)
            os.close(lock)
            if ended:
                break


def _send_signal(owner: PinOwner, number: signal.Signals) -> None:
    if not owner.alive:
        return
    with suppress(ProcessLookupError):
        process = os.pidfd_open(owner.pid)
        try:
            if owner.alive:
                signal.pidfd_send_signal(process, number)
        finally:
            os.close(process)


def _free_level(folder: int) -> tuple[int, int]:
    for level in range(MAX_LEVELS):
        lock = open_lock(folder, level)
        if _lock_unless_outer(folder, level, lock):
            return level, lock
        os.close(lock)
    raise UnableError(
        f"{MAX_LEVELS} pins are nested already", "run the command in one of them without a pin"
    )


def _lock_unless_outer(folder: int, level: int, lock: int) -> bool:
    """Return whether the lock was taken; False if an outer pin holds it."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        if _try_lock(lock, 0):
            return True
        owner = lock_owner(folder, level)
        if owner and owner.alive:
            if is_ancestor(owner):
                return False
            os.close(lock)
            raise already_pinned(owner)
        if time.monotonic() > deadline:
            os.close(lock)
            raise already_pinned(owner)
        time.sleep(_POLL_S)  # its guardian is restoring, or it has not written its name yet


def already_pinned(owner: PinOwner | None) -> UnableError:
    """Return the error for a level that another pin holds."""
    holder = f"{owner.name} (process {owner.pid})" if owner else "another pin"
    return UnableError(
        f"this machine is already pinned by {holder}",
        "wait for its end; stallscope pin status shows what it changed",
    )


def is_ancestor(owner: PinOwner) -> bool:
    """Return whether this process runs inside the owner's command."""
    pid = os.getppid()
    for _ in range(1024):
        if pid == owner.pid:
            return True
        if pid <= 1:
            return False
        pid = process_parent(pid)
    return False


def open_lock(folder: int, level: int) -> int:
    """Return a descriptor of a level's lock file, created if missing; it is not locked yet.

    Raises UnableError for a file that another user could lock: the process that such a file names
    would be ended as an inner pin.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    name = f"pin-{level}.lock"
    try:
        lock = os.open(name, flags, mode=0o600, dir_fd=folder)
    except OSError as error:
        raise folder_error(Path(name), error) from error
    status = os.fstat(lock)
    if (
        not stat.S_ISREG(status.st_mode)
        or status.st_uid != os.geteuid()
        or stat.S_IMODE(status.st_mode) & 0o077
    ):
        os.close(lock)
        raise UnableError(
            f"{name}: the lock of a pin is not a file that only this user can open",
            "remove it if no pin is running",
        )
    return lock


def lock_owner(folder: int, level: int) -> PinOwner | None:
    """Return the present or last holder of a level's lock; None if it is not recorded."""
    content = read_small(folder, f"pin-{level}.lock", 65536)
    with suppress(ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return decode_owner(json.loads(content or b""))
    return None


def is_locked(folder: int, level: int) -> bool:
    """Return whether a process holds a level's lock."""
    if not _exists(folder, f"pin-{level}.lock"):
        return False
    lock = open_lock(folder, level)
    try:
        return not _try_lock(lock, 0)
    finally:
        os.close(lock)


def _try_lock(lock: int, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _remove_partial_files(folder: int, level: int) -> None:
    """Remove files that a killed writer left unfinished; only the level's holder writes them."""
    for name in os.listdir(folder):
        if name.startswith(f".{file_name(level)}.") and name.endswith(".part"):
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
