from pathlib import Path

import pytest

from harness.requests import trace_marker as module
from harness.requests.trace_marker import TraceMarks, trace_marker
from stallscope.errors import UnableError
from tests.topdown.requests.mark_builder import mark_records
from topdown.requests.marks import TRACE_FILE, read_marks


def test_marks_are_kept_in_the_recording(tmp_path: Path) -> None:
    content = mark_records([(5, 100, 7, "begin", "get")], pid=0).tobytes()
    TraceMarks(content, 1).keep(tmp_path)
    assert (tmp_path / TRACE_FILE).exists()
    marks = read_marks(tmp_path)
    assert marks is not None
    assert marks.identity.tolist() == [7]


def test_a_kernel_without_the_event_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "tracefs", lambda: tmp_path)
    with pytest.raises(UnableError, match="no event ftrace/print"), trace_marker():
        pytest.fail("the block must not run")
