"""Names of functions in flame graphs."""

from collections.abc import Sequence

from stallscope.printable import MAX_NAME_LENGTH, visible_text
from topdown.stacks.profile import Function

UNKNOWN_NAME = "[unknown]"


def function_text(name: str, limit: int = MAX_NAME_LENGTH) -> str:
    """Return ``name`` as ``visible_text`` does, or ``[unknown]`` if it is empty or blank."""
    return visible_text(name, limit) if name and not name.isspace() else UNKNOWN_NAME


def function_texts(functions: Sequence[Function]) -> list[str]:
    """Return the text of each function's name; usual names are examined together."""
    names = [function.name for function in functions]
    whole = "".join(names)
    if (
        whole.isascii()
        and whole.isprintable()
        and max(map(len, names), default=0) <= MAX_NAME_LENGTH
    ):
        return [name if name and not name.isspace() else UNKNOWN_NAME for name in names]
    return [function_text(name) for name in names]
