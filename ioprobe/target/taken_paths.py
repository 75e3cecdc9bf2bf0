"""Paths that people typed: taking hold of what stands there, and why that cannot be."""

import errno
import os

from stallscope.errors import StallscopeError, UnableError, UsageError

NAME_ONE = "name a file or directory on the disk, or its device (lsblk lists them)"


def taken_path(path: str) -> int:
    """Return what stands at a path, links followed, opened with O_PATH: nothing has acted yet.

    Raises UsageError or UnableError.
    """
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise not_opened(path, error) from error


def not_opened(path: str, error: OSError | ValueError) -> StallscopeError:
    """Return why something cannot be opened, with the remedy."""
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    if number in (errno.ENOENT, errno.ENOTDIR):
        return UsageError(f"{path}: there is no such file, directory or device", NAME_ONE)
    if number in (errno.EACCES, errno.EPERM):
        return UnableError(
            f"{path}: not permitted to this user",
            "name a file of your own, or run as root (in a container that has this device)",
        )
    if number in (errno.EINVAL, errno.ELOOP, errno.ENAMETOOLONG):
        return UsageError(f"{path}: is no path: {os.strerror(number)}", NAME_ONE)
    return UnableError(
        f"{path}: cannot be opened: {os.strerror(number or 0)}",
        "see the kernel's log for what this disk answers",
    )
