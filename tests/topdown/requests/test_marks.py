from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.topdown.requests.mark_builder import mark_records
from topdown.requests.marks import FILE, HEAD, HEAD_BYTES, MAX_NAMES, RECORD, marks_of, read_marks


def write(folder: Path, content: bytes) -> None:
    (folder / FILE).write_bytes(HEAD.ljust(HEAD_BYTES, b"\0") + content)


def test_marks_are_read_in_order_of_time(tmp_path: Path) -> None:
    rows = mark_records([(5, 100, 7, "end"), (2, 101, 7, "begin", "checkout")])
    write(tmp_path, rows.tobytes() + b"unfinished")
    marks = read_marks(tmp_path)
    assert marks is not None
    assert marks.tid.tolist() == [101, 100]
    assert marks.names[marks.name[0]] == "checkout"
    assert not marks.warnings


def test_a_recording_without_marks_has_none(tmp_path: Path) -> None:
    assert read_marks(tmp_path) is None


def test_a_file_of_another_format_is_refused_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"something else")
    marks = read_marks(tmp_path)
    assert marks is not None
    assert not len(marks)
    assert "unknown format" in marks.warnings[0]


def test_a_link_out_of_the_recording_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/etc/passwd")
    assert read_marks(tmp_path) is None


@given(st.binary(max_size=64 * 20))
def test_any_content_gives_marks_or_warnings(content: bytes) -> None:
    whole = content[: len(content) // 64 * 64]
    marks = marks_of(np.frombuffer(whole, RECORD))
    assert len(marks) + (1 if marks.warnings else 0) >= min(1, len(whole) // 64)
    assert all(0 <= name < max(1, len(marks.names)) for name in marks.name.tolist())


def test_the_number_of_names_is_limited() -> None:
    rows = mark_records((1 + n, 100, n, "begin", f"name {n}") for n in range(MAX_NAMES + 50))
    marks = marks_of(rows)
    assert len(marks.names) == MAX_NAMES + 1
    assert marks.name.max() == MAX_NAMES
