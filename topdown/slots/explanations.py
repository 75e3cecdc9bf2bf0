"""Explanations and remedies of nodes, shared by name across CPUs."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stallscope.errors import RecordingError
from stallscope.json_fields import REMEDY, Fields, read_fields

FILE = Path(__file__).with_name("explanations.json")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a node counts, and what to try if it is high."""

    what: str
    remedy: str


@cache
def _fields() -> Fields:
    return read_fields(FILE)


def explanation(node: str) -> Explanation:
    """Return a node's explanation. Raises RecordingError if the file has none of that name.

    A name may refer to the text of another name.
    """
    fields = _fields()
    name = node.lower()
    if isinstance(fields.values.get(name), str):
        name = fields.text(name)
    texts = fields.texts(name)
    if len(texts) != 2:
        raise RecordingError(f"{fields.where}: no explanation of {node[:80]!r}", REMEDY)
    return Explanation(*texts)
