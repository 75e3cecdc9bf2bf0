"""Reading recording.json: valid, damaged, hostile and newer files."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.errors import RecordingError, UsageError
from stallscope.recordings import (
    MANIFEST,
    ProcessStacks,
    StackRecording,
    open_recording,
    read_manifest,
)

GOOD = {
    "schema": "stallscope.recording/1.3",
    "complete": True,
    "host": {"hostname": "h", "boot_id": "b", "cpus_online": "0-3", "memory_bytes": 2**33},
    "target": {"kind": "process", "pids": [12], "cpus": None, "command": []},
    "source": {"event": "cpu-clock", "kind": "measured", "unit": "ns", "frequency_hz": 999},
    "clocks": {"start_monotonic_ns": 5, "end_monotonic_ns": None},
    "files": [{"name": "samples.perf", "format": "perf-pipe", "bytes": 9}],
    "command": ["stallscope-collect", "-p", "12"],
    "losses": {"lost_samples": 3},
    "samples": 7,
    "warnings": [{"code": "c", "message": "m"}],
    "end": {"reason": "target ended", "target_status": {"exited": 3}},
    "added_by_a_later_minor": [1],
}


def write(folder: Path, document: object) -> Path:
    (folder / MANIFEST).write_text(json.dumps(document))
    return folder


def test_a_manifest_of_a_later_minor_is_read(tmp_path: Path) -> None:
    manifest = open_recording(write(tmp_path, GOOD)).manifest
    assert manifest is not None
    assert (manifest.samples, manifest.lost_samples, manifest.end_ns) == (7, 3, None)
    assert manifest.target.describe() == "pid 12"
    assert manifest.target_status == "exited 3"
    assert manifest.notices[0].message == "m"


def test_the_stack_mode_is_read_if_present(tmp_path: Path) -> None:
    manifest = open_recording(write(tmp_path, GOOD)).manifest
    assert manifest is not None
    assert manifest.stacks is None
    process = {"pid": 12, "chosen": "dwarf", "probed_samples": 64, "whole_share": 0.03}
    stacks = {"asked": "fp", "chosen": "mixed", "copy_bytes": 8192, "why": "w"}
    document = {**GOOD, "stacks": {**stacks, "processes": [process, {"pid": 13, "chosen": "fp"}]}}
    manifest = open_recording(write(tmp_path, document)).manifest
    assert manifest is not None
    assert manifest.stacks == StackRecording(
        "mixed",
        "fp",
        8192,
        "w",
        (ProcessStacks(12, "dwarf", 64, 0.03), ProcessStacks(13, "fp", 0, None)),
    )


@pytest.mark.parametrize("share", [-0.1, 1.5, "all", True, [1]])
def test_a_share_is_a_number_from_0_to_1(tmp_path: Path, share: object) -> None:
    process = {"pid": 12, "chosen": "fp", "whole_share": share}
    stacks = {"chosen": "fp", "processes": [process]}
    with pytest.raises(RecordingError, match=r"at `\$\.stacks\.processes\[0\]\.whole_share`"):
        open_recording(write(tmp_path, {**GOOD, "stacks": stacks}))


def test_lone_surrogates_of_earlier_versions_are_replaced(tmp_path: Path) -> None:
    target = {"kind": "command", "command": ["a\udcff"]}
    manifest = open_recording(write(tmp_path, {**GOOD, "target": target})).manifest
    assert manifest is not None
    assert manifest.target.describe() == "command a?"


def test_another_major_names_both_versions(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"version 2\.0; this stallscope reads 1\.x"):
        open_recording(write(tmp_path, {**GOOD, "schema": "stallscope.recording/2.0"}))


@pytest.mark.parametrize(
    "schema", ["", "perf/1.0", "stallscope.recording/", "stallscope.recording/x.1"]
)
def test_a_foreign_schema_is_refused(tmp_path: Path, schema: str) -> None:
    with pytest.raises(RecordingError, match="expected stallscope.recording"):
        open_recording(write(tmp_path, {**GOOD, "schema": schema}))


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 200_000, b'{"schema": 1}', b"null"]
)
def test_damaged_json_is_a_single_error(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(raw)
    with pytest.raises(RecordingError):
        read_manifest(tmp_path / MANIFEST)


def test_paths_without_a_recording_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no recording"):
        open_recording(tmp_path / "none")
    with pytest.raises(RecordingError, match="has no recording.json"):
        open_recording(tmp_path)


@pytest.mark.parametrize("value", [-1, 2**63, 10**400, True, 1.5, "7"])
def test_numbers_beyond_a_counter_are_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(RecordingError):
        open_recording(write(tmp_path, {**GOOD, "samples": value}))


def test_an_end_before_the_start_is_refused(tmp_path: Path) -> None:
    clocks = {"start_monotonic_ns": 5, "end_monotonic_ns": 4}
    with pytest.raises(RecordingError, match="ends before it starts"):
        open_recording(write(tmp_path, {**GOOD, "clocks": clocks}))


def test_a_path_that_cannot_be_read_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot open"):
        open_recording(Path("/tmp") / ("x" * 300))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(key=st.sampled_from(sorted(GOOD)), value=JSON_VALUES)
def test_any_value_in_any_field_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    folder = write(tmp_path_factory.mktemp("run"), {**GOOD, key: value})
    try:
        manifest = open_recording(folder).manifest
    except RecordingError as error:
        assert error.remedy
    else:
        assert manifest is not None


def test_the_directory_of_a_continuous_recording_names_its_segments(tmp_path: Path) -> None:
    (tmp_path / "continuous.json").touch()
    with pytest.raises(RecordingError) as caught:
        open_recording(tmp_path)
    assert (
        caught.value.remedy
        == f"it is a continuous recording: name a segment, {tmp_path}/segment-..."
    )
