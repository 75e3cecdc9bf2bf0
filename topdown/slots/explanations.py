"""Explanations and remedies of nodes, shared by name across CPUs."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stallscope.documents import DAMAGED, read_document
from stallscope.errors import RecordingError

FILE = Path(__file__).with_name("explanations.json")


@dataclass(frozen=True, slots=True)
class NodeExplanation:
    """What a node counts, and what to try if it is high."""

    meaning: str
    remedy: str


@cache
def _explanations() -> dict[str, str | tuple[str, str]]:
    return read_document(FILE, dict[str, str | tuple[str, str]])


def explanation(node: str) -> NodeExplanation:
    """Return a node's explanation. Raises RecordingError if the file has none of that name.

    A name may refer to the text of another name.
    """
    texts = _explanations().get(node.lower())
    if isinstance(texts, str):
        texts = _explanations().get(texts)
    if not isinstance(texts, tuple):
        raise RecordingError(f"{FILE}: no explanation of {node[:80]!r}", DAMAGED)
    return NodeExplanation(*texts)
