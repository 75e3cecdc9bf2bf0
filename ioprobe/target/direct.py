"""Opening past the page cache: whether O_DIRECT is had, why not, and which requests it takes."""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass

from ioprobe.target.alignment import direct_alignment
from ioprobe.target.mounts import IN_MEMORY, Mount


@dataclass(frozen=True, slots=True)
class Direct:
    """Whether requests go past the page cache."""

    had: bool
    why_not: str | None  # a sentence without a full stop, where it is not had
    alignment_bytes: int  # of offsets and sizes: the smallest that is taken


def direct_of(taken: int, flags: int, *, mount: Mount | None, name: str) -> tuple[int, Direct]:
    """Return what an O_PATH or other descriptor stands for, opened past the page cache if it can.

    Without O_DIRECT it is opened all the same. Raises OSError; UnableError, with the name, where
    the disk does not answer.
    """
    path = f"/proc/self/fd/{taken}"
    filesystem = "this filesystem" if mount is None else mount.filesystem
    if filesystem in IN_MEMORY:
        why_not = f"{filesystem} keeps its files in memory: there is no disk behind them"
        return _opened(path, flags), Direct(False, why_not, 1)
    try:
        descriptor = _opened(path, flags | os.O_DIRECT)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
        return _opened(path, flags), Direct(False, f"{filesystem} takes no O_DIRECT", 1)
    try:
        return descriptor, Direct(True, None, direct_alignment(descriptor, name))
    except BaseException:
        os.close(descriptor)
        raise


def _opened(path: str, flags: int) -> int:
    """Opened without setting the time of access, where this user may: reading writes nothing."""
    with suppress(PermissionError):
        return os.open(path, flags | os.O_NOATIME | os.O_CLOEXEC)
    return os.open(path, flags | os.O_CLOEXEC)
