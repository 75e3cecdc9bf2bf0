"""Output lines of native programs."""

import pytest

from harness.workload.process import decode_line
from harness.workload.results import LoadSecond
from stallscope.errors import UnableError


@pytest.mark.parametrize("line", [b"[1]", b"{", b'{"requests": 1}'])
def test_an_unexpected_line_is_an_error(line: bytes) -> None:
    with pytest.raises(UnableError, match="x wrote an unexpected line"):
        decode_line(line, LoadSecond, "x")
