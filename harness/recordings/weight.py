"""The weight with which a recording of samples and switches was made, kept beside it."""

from pathlib import Path

from harness.cli.outputs import write_whole
from stallscope.documents import Record, encode, read_document
from stallscope.errors import RecordingError
from topdown.waits.weight import Weight

FILE = "weight.json"


class RecordedWeight(Record, frozen=True, kw_only=True):
    """The weight that `stallscope profile` was called with."""

    weight: str


def keep_weight(recording: Path, weight: Weight) -> None:
    """Write the weight into a recording."""
    write_whole(recording / FILE, [encode(RecordedWeight(weight=weight.value)) + "\n"])


def recorded_weight(recording: Path) -> Weight | None:
    """Return the weight of a recording; None if it was not made for one, or is not readable."""
    path = recording / FILE
    if not path.is_file():
        return None
    try:
        return Weight(read_document(path, RecordedWeight).weight)
    except (RecordingError, ValueError):
        return None
