"""Whose turn it is to pin: one level of pins a lock, which the kernel lets go of with its holders.

A wrapper and its guardian hold their level's lock, so that a lock that can be had means both are
gone; a journal found then is left over, and is put back first. Pins inside a pinned command take
the next level; any other is refused with the owner's name.
"""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cstates.pinning.journal import (
    Owner,
    file_name,
    owner_document,
    owner_of,
    process_parent,
    read_small,
    this_process,
)
from cstates.pinning.restoring import Restored, put_back
from stallscope.errors import UnableError
from stallscope.private_directory import private_directory
from stallscope.system_files import Roots

MOST_LEVELS = 8
PATIENCE_S = 5.0  # how long a pin that is beginning or ending is waited for
_STEP_S = 0.01


@dataclass(frozen=True, slots=True)
class Claim:
    """A level that is ours until its lock is closed, and what was left over and put back."""

    folder: int
    level: int
    lock: int
    owner: Owner
    recovered: tuple[Restored, ...] = field(default=())


def default_run_folder(roots: Roots) -> Path:
    """Return where the journals of these roots' machine are."""
    return roots.files / "run" / "stallscope"


@contextmanager
def run_folder(path: Path, roots: Roots) -> Iterator[int]:
    """Yield a descriptor of the journals' folder, ours alone; UnableError where it cannot be."""
    with ExitStack() as stack:
        try:
            if not roots.is_live:
                path.parent.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(private_directory(path))
        except OSError as error:
            raise closed_folder(path, error) from error
        yield folder


def closed_folder(path: Path, error: OSError) -> UnableError:
    """Return the error of a folder of journals that this user may not open or make."""
    return UnableError(
        f"{path}: journals of pins cannot be kept or read here: {error.strerror or error}",
        "run as root, or name a folder of your own with --run-root",
    )


@contextmanager
def claim(folder: int, roots: Roots, name: str) -> Iterator[Claim]:
    """Yield the first level that is free for this process; what was left over is put back.

    Raises UnableError, with the owner's name, while another than an outer pin of ours is held.
    """
    owner = this_process(name)
    level, lock = _free_level(folder)
    try:
        _clear_parts(folder, level)
        os.ftruncate(lock, 0)
        os.pwrite(lock, json.dumps(owner_document(owner)).encode(), 0)
        recovered = [*settle_deeper(folder, roots, level)]
        own = put_back(roots, folder, level)
        recovered += [own] if own else []
        yield Claim(folder, level, lock, owner, tuple(recovered))
    finally:
        # It has no owner from now on, lest who only looks at the lock be taken for this process.
        os.ftruncate(lock, 0)
        os.close(lock)


def settle_deeper(folder: int, roots: Roots, level: int) -> tuple[Restored, ...]:
    """Return what was put back of deeper levels, once these have ended.

    Raises UnableError where one is held beyond our patience.
    """
    done = []
    for deeper in range(MOST_LEVELS - 1, level, -1):
        if not _exists(folder, f"pin-{deeper}.lock"):
            continue
        lock = open_lock(folder, deeper)
        try:
            if not _taken(lock, PATIENCE_S):
                raise refused(holder(folder, deeper))
            restored = put_back(roots, folder, deeper)
            done += [restored] if restored else []
        finally:
            os.close(lock)
    return tuple(done)


def end_deeper(folder: int, level: int) -> None:
    """End the pins inside a level's that still run, by SIGTERM and then SIGKILL; each puts back.

    Their command began inside ours, which is over; what they hold would be put back to our values.
    """
    for deeper in range(MOST_LEVELS - 1, level, -1):
        for number in (signal.SIGTERM, signal.SIGKILL):
            owner = holder(folder, deeper)
            if owner is None or not held(folder, deeper):
                break
            _send(owner, number)
            lock = open_lock(folder, deeper)
            ended = _taken(lock, PATIENCE_S)
            os.close(lock)
            if ended:
                break


def _send(owner: Owner, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        process = os.pidfd_open(owner.pid)
        try:
            if owner.alive:
                signal.pidfd_send_signal(process, number)
        finally:
            os.close(process)


def _free_level(folder: int) -> tuple[int, int]:
    for level in range(MOST_LEVELS):
        lock = open_lock(folder, level)
        if _taken_unless_owned(folder, level, lock):
            return level, lock
        os.close(lock)
    raise UnableError(
        f"{MOST_LEVELS} pins are nested already", "run the command in one of these without its own"
    )


def _taken_unless_owned(folder: int, level: int, lock: int) -> bool:
    """Return whether the lock is ours now; False where an outer pin has it."""
    until = time.monotonic() + PATIENCE_S
    while True:
        if _taken(lock, 0):
            return True
        owner = holder(folder, level)
        if owner and owner.alive:
            if is_ancestor(owner):
                return False
            os.close(lock)
            raise refused(owner)
        if time.monotonic() > until:
            os.close(lock)
            raise refused(owner)
        time.sleep(_STEP_S)  # its guardian is putting back, or it has not yet said who it is


def refused(owner: Owner | None) -> UnableError:
    """Return the error of a level that somebody else holds."""
    who = f"{owner.name} (process {owner.pid})" if owner else "another pin"
    return UnableError(
        f"this machine is pinned already, by {who}",
        "wait for its end; stallscope pin status tells what it changed",
    )


def is_ancestor(owner: Owner) -> bool:
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
    """Return a descriptor of a level's lock file, made where there is none; not yet locked."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(f"pin-{level}.lock", flags, mode=0o600, dir_fd=folder)


def holder(folder: int, level: int) -> Owner | None:
    """Return who has, or last had, a level's lock; None where it does not say."""
    content = read_small(folder, f"pin-{level}.lock", 65536)
    with suppress(ValueError, KeyError, TypeError):
        return owner_of(json.loads(content or b""))
    return None


def held(folder: int, level: int) -> bool:
    """Return whether somebody has a level's lock."""
    if not _exists(folder, f"pin-{level}.lock"):
        return False
    lock = open_lock(folder, level)
    try:
        return not _taken(lock, 0)
    finally:
        os.close(lock)


def _taken(lock: int, patience_s: float) -> bool:
    until = time.monotonic() + patience_s
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(_STEP_S)


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _clear_parts(folder: int, level: int) -> None:
    """Remove what a killed writer left unfinished; only who holds a level may write."""
    for name in os.listdir(folder):
        if name.startswith(f".{file_name(level)}.") and name.endswith(".part"):
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
