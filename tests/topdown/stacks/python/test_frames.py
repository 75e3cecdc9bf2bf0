"""Reading python.jsonl; damage loses only the lines after it."""

import json
from pathlib import Path

import pytest

from topdown.stacks.python.frames import PythonFrames, read_python_frames

HEADER = {"format": "stallscope.python-frames/1.0", "clock": "monotonic"}
READ = {"interpreter": 7, "version": "3.11.2", "how": "offsets", "why": ""}


def code(number: int, name: str = "f", **more: object) -> dict[str, object]:
    return {"code": number, "pid": 7, "name": name, "file": "a.py", "line": 1, "table": ""} | more


STACK = {"stack": 3, "frames": [[2, 36, 1], [1, 10, 0], [1, 12, 1]]}
SNAPSHOT = {"t": 100, "read_ns": 120, "tid": 8, "pid": 7, "stack": 3, "gil": True}
WHOLE = [HEADER, READ, code(1), code(2, "g"), STACK, SNAPSHOT, {"counts": {"torn": 4, "late": 2}}]


def written(folder: Path, *lines: object) -> PythonFrames:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    (folder / "python.jsonl").write_text(text)
    frames = read_python_frames(folder)
    assert frames is not None
    return frames


def test_runs_are_outermost_first_and_split_at_entries_from_c(tmp_path: Path) -> None:
    frames = written(tmp_path, *WHOLE)
    assert not frames.warnings
    assert [code.name for code in frames.codes] == ["f", "g"]
    assert frames.stacks.run_offset.tolist() == [0, 2]
    assert frames.stacks.frame_offset.tolist() == [0, 2, 3]
    assert frames.stacks.code.tolist() == [0, 0, 1]
    assert frames.stacks.instruction.tolist() == [12, 10, 36]
    assert (frames.time_ns.tolist(), frames.tid.tolist()) == ([100], [8])
    assert (frames.stack.tolist(), frames.gil.tolist()) == ([0], [1])
    assert (frames.torn, frames.late) == (4, 2)
    assert frames.interpreters[0].version == "3.11.2"


def test_snapshots_are_sorted_and_the_gil_may_be_unknown(tmp_path: Path) -> None:
    late, early = SNAPSHOT | {"t": 300, "gil": None}, SNAPSHOT | {"t": 200, "gil": False}
    frames = written(tmp_path, *WHOLE, late, early)
    assert frames.time_ns.tolist() == [100, 200, 300]
    assert frames.gil.tolist() == [1, 0, -1]


def test_a_recording_without_the_file_has_no_python_frames(tmp_path: Path) -> None:
    assert read_python_frames(tmp_path) is None


def test_an_unfinished_last_line_is_skipped_without_a_warning(tmp_path: Path) -> None:
    written(tmp_path, *WHOLE)
    with (tmp_path / "python.jsonl").open("a") as file:
        file.write('{"t": 1')
    frames = read_python_frames(tmp_path)
    assert frames is not None
    assert len(frames.stack) == 1
    assert not frames.warnings


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '"text"',
        "\x00",
        "[" * 100_000,
        '{"t":' + "9" * 5000 + "}",
        json.dumps(SNAPSHOT | {"stack": 99}),
        json.dumps(SNAPSHOT | {"t": -1}),
        json.dumps(SNAPSHOT | {"tid": "8"}),
        json.dumps(STACK | {"frames": []}),
        json.dumps(STACK | {"frames": [[1, 1, 1]] * 1025}),
        json.dumps(STACK | {"frames": [[5, 1, 1]]}),
        json.dumps(STACK | {"frames": [[1, -1, 1]]}),
        json.dumps(STACK | {"frames": [[1, 1]]}),
        json.dumps(STACK | {"frames": [[1, 1, 0]]}),
        json.dumps(STACK | {"frames": [[{}, [], None]]}),
        json.dumps(code(9) | {"table": "?"}),
        json.dumps(code(9) | {"name": 5}),
        json.dumps({"interpreter": 7, "version": None, "how": "offsets", "why": ""}),
    ],
    ids=lambda line: line[:50],
)
def test_reading_stops_at_a_damaged_line_with_one_warning(tmp_path: Path, line: str) -> None:
    frames = written(tmp_path, *WHOLE, line, SNAPSHOT)
    assert len(frames.stack) == 1
    assert [warning.code for warning in frames.warnings] == ["python-frames-damaged"]
    assert "line 8 " in frames.warnings[0].message


@pytest.mark.parametrize("format_name", ["stallscope.python-frames/2.0", "other/1.0", 5, None])
def test_other_formats_are_not_read(tmp_path: Path, format_name: object) -> None:
    frames = written(tmp_path, {"format": format_name}, *WHOLE[1:])
    assert len(frames.stack) == 0
    assert [warning.code for warning in frames.warnings] == ["python-frames-damaged"]


def test_unknown_lines_of_a_later_minor_version_are_ignored(tmp_path: Path) -> None:
    frames = written(
        tmp_path, HEADER | {"format": "stallscope.python-frames/1.7"}, *WHOLE[1:], {"news": 1}
    )
    assert len(frames.stack) == 1
    assert not frames.warnings


def test_bytes_that_are_not_text_are_replaced(tmp_path: Path) -> None:
    frames = written(tmp_path, HEADER, code(1, "\udc80f\ud83d", file="\udcff.py"))
    assert frames.codes[0].name == "\ufffdf\ufffd"
    assert frames.codes[0].file == "\ufffd.py"
    frames.codes[0].name.encode()


def test_a_link_out_of_the_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(json.dumps(HEADER))
    recording = tmp_path / "recording"
    recording.mkdir()
    (recording / "python.jsonl").symlink_to("/etc/passwd")
    frames = read_python_frames(recording)
    assert frames is None or not len(frames.stack)


def test_refused_interpreters_give_one_warning(tmp_path: Path) -> None:
    why = "CPython 3.14.0: it is built without a GIL (free threading)"
    refused = {"interpreter": 1, "version": "", "how": "refused", "why": why}
    frames = written(tmp_path, HEADER, refused, refused | {"interpreter": 2})
    assert [warning.code for warning in frames.warnings] == ["python-refused"]
    assert "2 processes" in frames.warnings[0].message
    assert "free threading" in frames.warnings[0].message
