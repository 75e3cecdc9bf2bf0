"""Opening with O_DIRECT: whether it is available, why not, and the alignment it requires."""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass

from ioprobe.target.alignment import direct_alignment
from ioprobe.target.mounts import IN_MEMORY, Mount


@dataclass(frozen=True, slots=True)
class DirectAccess:
    """Whether requests bypass the page cache."""

    available: bool
    missing: str | None  # the reason, without a full stop, if it is not available
    alignment_bytes: int  # of offsets and sizes


def open_direct(
    path_descriptor: int, flags: int, *, mount: Mount | None, name: str
) -> tuple[int, DirectAccess]:
    """Return a descriptor reopened with O_DIRECT if possible, else without it.

    Raises OSError, or UnableError with the name if the disk does not answer.
    """
    path = f"/proc/self/fd/{path_descriptor}"
    filesystem = "this filesystem" if mount is None else mount.filesystem
    if filesystem in IN_MEMORY:
        reason = f"{filesystem} keeps its files in memory, without a disk"
        return _open(path, flags), DirectAccess(False, reason, 1)
    try:
        descriptor = _open(path, flags | os.O_DIRECT)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
        reason = f"{filesystem} does not support O_DIRECT"
        return _open(path, flags), DirectAccess(False, reason, 1)
    try:
        return descriptor, DirectAccess(True, None, direct_alignment(descriptor, name))
    except BaseException:
        os.close(descriptor)
        raise


def _open(path: str, flags: int) -> int:
    """Return an open descriptor, with O_NOATIME if permitted: then reading writes nothing."""
    with suppress(PermissionError):
        return os.open(path, flags | os.O_NOATIME | os.O_CLOEXEC)
    return os.open(path, flags | os.O_CLOEXEC)
