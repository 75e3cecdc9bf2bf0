"""Where stallscope's own native programs are: beside this package, never by PATH."""

import os
from pathlib import Path

from stallscope.errors import UnableError

FOLDER = Path(__file__).resolve().parent / "programs"


def program(name: str, folder: Path | None = None) -> Path:
    """Return the path of one of our programs, as ``stallscope-collect``.

    Raises UnableError where it is missing or not executable.
    """
    path = (folder or FOLDER) / name
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise UnableError(
            f"the program {name} is not at {path}",
            "the installation is not whole: install it again, or in a checkout run ./dev build",
        )
    return path
