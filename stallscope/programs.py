"""Paths of the native programs, beside this package, and of installed programs, by PATH."""

import os
from contextlib import suppress
from pathlib import Path

from stallscope.errors import UnableError
from stallscope.output_place import open_place

FOLDER = Path(__file__).resolve().parent / "programs"


def program(name: str, folder: Path | None = None) -> Path:
    """Return the path of a native program such as ``stallscope-collect``.

    Raises UnableError if it is missing or not executable.
    """
    path = (folder or FOLDER) / name
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise UnableError(
            f"the program {name} is not at {path}",
            "the installation is incomplete; install again, or run ./dev build in a checkout",
        )
    return path


def installed_program(name: str) -> Path | None:
    """Return the path of a program such as valgrind, or None.

    Relative directories of PATH are left out, as are, for root, directories into which another user
    could put a program.
    """
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = Path(folder, name)
        if not (path.is_absolute() and path.is_file() and os.access(path, os.X_OK)):
            continue
        with suppress(OSError), open_place(path.parent):
            return path
    return None
