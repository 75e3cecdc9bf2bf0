"""Names of functions in flame graphs."""

from stallscope.printable import MAX_NAME_LENGTH, visible_text

UNKNOWN_NAME = "[unknown]"


def function_text(name: str, limit: int = MAX_NAME_LENGTH) -> str:
    """Return ``name`` as ``visible_text`` does, or ``[unknown]`` if it is empty or blank."""
    return visible_text(name, limit) if name and not name.isspace() else UNKNOWN_NAME
