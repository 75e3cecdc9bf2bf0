"""Paths of the native programs: beside this package, never found by PATH."""

import os
from pathlib import Path

from stallscope.errors import UnableError

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
