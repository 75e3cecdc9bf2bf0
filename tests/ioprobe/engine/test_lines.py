"""Lines of the engine."""

import json

import pytest

from ioprobe.engine.engine import (
    PointProgress,
)
from ioprobe.engine.lines import ProgramLine, decode_event
from stallscope.errors import RecordingError


def line_of(document: dict[str, object]) -> ProgramLine:
    return ProgramLine(str(document["kind"]), json.dumps(document).encode())


def test_a_line_without_a_number_is_an_error() -> None:
    line = {"kind": "progress", "id": "a", "elapsed_s": 1.0, "requests": 5}
    assert decode_event(line_of(line), {}) == PointProgress("a", 1.0, 5)
    for name in ("elapsed_s", "requests"):
        with pytest.raises(RecordingError, match=name):
            decode_event(line_of(line | {name: None}), {})
