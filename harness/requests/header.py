"""The header with which programs mark their requests."""

from pathlib import Path

import stallscope
from stallscope.errors import UnableError

NAME = "stallscope_request.h"


def header_path() -> Path:
    """Return the path of the installed header. Raises UnableError if it is missing."""
    path = Path(stallscope.__file__).parent / "include" / NAME
    if not path.is_file():
        raise UnableError(
            f"{NAME} is not at {path}",
            "the installation is incomplete; install again, or run ./dev build in a checkout",
        )
    return path
