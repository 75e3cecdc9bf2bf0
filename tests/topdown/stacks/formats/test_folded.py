"""Folded stacks as profiles."""

from pathlib import Path

import pytest

from stallscope.errors import RecordingError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.folded import MAX_LINE_BYTES, read_folded
from topdown.stacks.profile import FunctionKind


def test_stacks_counts_and_marks_are_read(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_bytes(b"srv;main;work_[k] 12\nsrv;main;[unknown] 3.4\nb\xff;x 1\r\n")
    profile = read_folded(file, "x.folded")
    assert profile.samples == 16
    kinds = {function.name: function.kind for function in profile.functions}
    assert kinds["work"] == FunctionKind.KERNEL
    assert kinds["[unknown]"] == FunctionKind.UNKNOWN
    assert [thread.process_name for thread in profile.threads] == ["srv", "b�"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    text = render_folded(ProfileBuilder().build([(["main", "a b"], 3), (["main"], 2)]))
    file.write_text(text)
    assert render_folded(read_folded(file, "x")) == text


def test_malformed_and_overlong_lines_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_bytes(b"a;b one\n" + b"x" * (3 * MAX_LINE_BYTES) + b" 5\nsrv;main 1\nsrv;n nan\n")
    profile = read_folded(file, "x.folded")
    assert profile.samples == 1
    assert profile.warnings[0].message == "3 malformed lines are left out, the first is 1"


def test_text_without_a_stack_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x.folded"
    file.write_bytes(b"hello\n")
    with pytest.raises(RecordingError, match="no folded stack"):
        read_folded(file, "x.folded")


def test_large_counts_are_exact(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"p;f 9007199254740993\n" + b"p;g " + b"9" * 30 + b"\n")
    profile = read_folded(file, "x")
    assert sorted(profile.weight_value.tolist()) == [9007199254740993, (1 << 63) - 1]
