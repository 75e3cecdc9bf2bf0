"""Opening the paths of a command line with O_PATH, and errors with remedies if that fails."""

import errno
import os

from stallscope.errors import StallscopeError, UnableError, UsageError

PATH_REMEDY = "name a file or directory on the disk, or its device (lsblk lists them)"


def open_path(path: str) -> int:
    """Return an O_PATH descriptor of a path; links are followed, and no driver is called.

    Raises UsageError or UnableError.
    """
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise open_error(path, error) from error


def open_error(path: str, error: OSError | ValueError) -> StallscopeError:
    """Return the error for a path that cannot be opened, with its remedy."""
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    if number in (errno.ENOENT, errno.ENOTDIR):
        return UsageError(f"{path}: no such file, directory or device", PATH_REMEDY)
    if number in (errno.EACCES, errno.EPERM):
        return UnableError(
            f"{path}: permission denied",
            "name a file that you own, or run as root (in a container that has this device)",
        )
    if number in (errno.EINVAL, errno.ELOOP, errno.ENAMETOOLONG):
        return UsageError(f"{path}: invalid path: {os.strerror(number)}", PATH_REMEDY)
    return UnableError(
        f"{path}: cannot be opened: {os.strerror(number or 0)}",
        "see the kernel's log for errors of this disk",
    )
