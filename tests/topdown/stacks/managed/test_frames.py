"""Reading of runtimes.jsonl, complete, damaged and hostile."""

import json
from pathlib import Path

import pytest

from topdown.stacks.managed.frames import read_managed_frames

HEADER = {"format": "stallscope.managed-frames/1.0", "clock": "monotonic"}
RUNTIME = {"runtime": 7, "name": "v8", "version": "11.3.244", "refusal": ""}
FUNCTION = {
    "function": 3,
    "pid": 7,
    "name": "na\u00efve",
    "file": "/a.js",
    "line": 2,
    "kind": "turbofan",
    "reason": "",
}
STACK = {"stack": 5, "frames": [[3, 4, 1], [3, 0, 0]]}
SAMPLE = {"t": 100, "tid": 8, "pid": 7, "segments": [[1, 2, 3, 4, 5, 5]]}


def write(folder: Path, *entries: object) -> Path:
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    (folder / "runtimes.jsonl").write_text("".join(line + "\n" for line in lines))
    return folder


def test_a_recording_without_the_file_has_no_frames(tmp_path: Path) -> None:
    assert read_managed_frames(tmp_path) is None


def test_frames_are_read_outermost_first(tmp_path: Path) -> None:
    frames = read_managed_frames(write(tmp_path, HEADER, RUNTIME, FUNCTION, STACK, SAMPLE))
    assert frames is not None
    assert frames.runtimes[0].version == "11.3.244"
    assert frames.functions[0].name == "naïve"
    assert frames.stacks.line.tolist() == [0, 4]
    time_ns, tid, offset, runs = frames.runs
    assert (time_ns.tolist(), tid.tolist(), offset.tolist()) == ([100], [8], [0, 1])
    assert runs.tolist() == [[1, 2, 3, 4, 5, 0]]


def test_samples_are_ordered_by_time_and_failures_kept(tmp_path: Path) -> None:
    failed = {"t": 50, "tid": 8, "pid": 7, "failed": "late"}
    earlier = {**SAMPLE, "t": 60, "segments": []}
    frames = read_managed_frames(
        write(tmp_path, HEADER, RUNTIME, FUNCTION, STACK, SAMPLE, failed, earlier)
    )
    assert frames is not None
    assert frames.runs[0].tolist() == [60, 100]
    assert frames.runs[2].tolist() == [0, 0, 1]
    assert frames.failures == {(50, 8): "late"}


def test_code_of_interpreters_is_numbered_in_processes_with_a_loop(tmp_path: Path) -> None:
    ruby = {**RUNTIME, "name": "ruby", "loop": [16, 32, 14]}
    functions = [
        {**FUNCTION, "function": 3, "code": [100, 180]},
        {**FUNCTION, "function": 4, "code": [100, 180]},
        {**FUNCTION, "function": 5, "code": [40, 80]},
        {**FUNCTION, "function": 6, "pid": 9, "code": [40, 80]},
        {**FUNCTION, "function": 7},
    ]
    frames = read_managed_frames(write(tmp_path, HEADER, ruby, *functions))
    assert frames is not None
    assert frames.interpreters.loops.tolist() == [[7, 16, 32, 14]]
    assert frames.interpreters.codes.tolist() == [[7, 40, 80, 0], [7, 100, 180, 1]]
    assert frames.interpreters.code_of.tolist() == [1, 1, 0, -1, -1]
    assert frames.interpreters.function_of.tolist() == [0, 0, 2, 3, 4]


def test_a_process_with_an_impossible_number_has_no_interpreter(tmp_path: Path) -> None:
    far = 7 + (1 << 32)
    ruby = {**RUNTIME, "name": "ruby", "runtime": far, "loop": [16, 32, 14]}
    function = {**FUNCTION, "pid": far, "code": [40, 80]}
    frames = read_managed_frames(write(tmp_path, HEADER, ruby, function))
    assert frames is not None
    assert frames.interpreters.arrays is None


@pytest.mark.parametrize(
    "damaged",
    [
        {**RUNTIME, "loop": [1, 2]},
        {**RUNTIME, "loop": [1, 2, 64]},
        {**FUNCTION, "code": [2, 1]},
        {**FUNCTION, "code": "1"},
        "{",
        "[]",
        {**STACK, "frames": [[9, 0, 0]]},
        {**STACK, "frames": []},
        {**STACK, "frames": [[3, 1 << 63, 0]]},
        {**SAMPLE, "segments": [[1, 2, 3, 4, 5, 99]]},
        {**SAMPLE, "segments": [[1, 2, 3, 4, 1 << 64, 5]]},
        {**SAMPLE, "t": -1},
    ],
)
def test_the_part_before_a_damaged_line_is_kept(tmp_path: Path, damaged: object) -> None:
    frames = read_managed_frames(write(tmp_path, HEADER, FUNCTION, STACK, SAMPLE, damaged, SAMPLE))
    assert frames is not None
    assert len(frames.runs[0]) == 1
    assert [warning.code for warning in frames.warnings] == ["runtime-frames-damaged"]


def test_a_refused_runtime_is_a_warning_with_the_remedy(tmp_path: Path) -> None:
    refused = {**RUNTIME, "refusal": "unsupported version"}
    frames = read_managed_frames(write(tmp_path, HEADER, refused))
    assert frames is not None
    message = frames.warnings[0].message
    assert "unsupported version" in message
    assert "--perf-basic-prof" in message
