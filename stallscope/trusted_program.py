"""Programs that root may start for a user's option without running another user's code."""

import os
import stat
from pathlib import Path

from stallscope.errors import UsageError
from stallscope.output_place import open_place, trusted_users
from stallscope.programs import installed_program


def trusted_program(name: str) -> Path:
    """Return the absolute path of a program; a name without a slash is looked up in PATH.

    Raises UsageError if there is none or, for root, if another user could replace the program or
    a directory on the way to it.
    """
    path = Path(name) if "/" in name else installed_program(name)
    if path is None or not (path.is_file() and os.access(path, os.X_OK)):
        raise UsageError(
            f"the program {name} does not exist or may not be executed",
            "give its path, or check its name",
        )
    absolute = path.absolute()
    if os.geteuid() == 0:
        reason = _distrust(absolute) or _distrust(absolute.resolve())
        if reason:
            raise UsageError(
                f"root does not start {absolute}: {reason}",
                "use a program that only root can write, in a directory such as /usr/local/bin",
            )
    return absolute


def _distrust(path: Path) -> str:
    """Return why another user could change what runs; "" if none could."""
    try:
        with open_place(path.parent) as folder:
            status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        return error.strerror or str(error)
    if status.st_uid not in trusted_users():
        return f"it belongs to the user {status.st_uid}"
    if not stat.S_ISLNK(status.st_mode) and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write to it"
    return ""
