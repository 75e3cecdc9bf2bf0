"""Files of speedscope."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import jsonschema
import pytest

from stallscope.errors import RecordingError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.speedscope import (
    TIME_CELLS,
    decode_speedscope,
    encode_speedscope,
)
from topdown.stacks.profile import Thread

THREADS = (Thread(1, 1, "it", "main"), Thread(1, 2, "it", "worker"))


def content() -> bytes:
    rows = [(["main", "work"], 3, 0), (["main"], 2, 1)]
    return encode_speedscope(ProfileBuilder().build(rows, threads=THREADS), "stallscope 1")


def test_stacks_and_weights_are_read_again() -> None:
    profile = decode_speedscope(content(), "x")
    assert int(profile.weight_value.sum()) == 5_000_000
    assert render_folded(profile) == "it/main 1;main;work 1\nit/worker 2;main 1\n"


def test_the_file_follows_the_schema_of_speedscope(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("needs the program npm")
    subprocess.run(["npm", "pack", "--silent", "speedscope@1.25.0"], cwd=tmp_path, check=True)
    with tarfile.open(next(tmp_path.glob("speedscope-*.tgz"))) as package:
        member = package.extractfile("package/dist/release/file-format-schema.json")
        assert member is not None
        schema = json.load(member)
    jsonschema.Draft7Validator(schema).validate(json.loads(content()))


def test_events_of_frames_are_stacks_with_durations() -> None:
    events = [("O", 0, 0), ("O", 1, 2), ("C", 1, 5), ("C", 0, 6)]
    file = {
        "shared": {"frames": [{"name": "main"}, {"name": "work"}]},
        "profiles": [
            {
                "type": "evented",
                "name": "t",
                "unit": "milliseconds",
                "startValue": 0,
                "endValue": 6,
                "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events],
            }
        ],
    }
    profile = decode_speedscope(json.dumps(file).encode(), "x")
    totals = dict(zip(profile.weight_node.tolist(), profile.weight_value.tolist(), strict=True))
    assert sorted(totals.values()) == [3_000_000, 3_000_000]
    times = profile.times
    assert times is not None
    assert int(times.value.sum()) == 6_000_000
    in_work = times.node == 2
    assert times.time_ns[in_work].min() == 2_000_000
    assert int(times.value[in_work].sum()) == 3_000_000
    assert TIME_CELLS <= len(times.node) <= TIME_CELLS + 3
    file["profiles"][0]["events"][2]["frame"] = 0  # type: ignore[index]
    with pytest.raises(RecordingError, match="not the innermost open one"):
        decode_speedscope(json.dumps(file).encode(), "x")


def test_weights_of_a_sampled_profile_are_no_times() -> None:
    assert decode_speedscope(content(), "x").times is None


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b'{"shared":{"frames":[]},"profiles":[{"type":"sampled","samples":[[3]],"weights":[1]}]}',
        b'{"shared":{"frames":[]},"profiles":[{"type":"sampled","samples":[[]],"weights":[]}, 1]}',
    ],
)
def test_malformed_files_are_errors(text: bytes) -> None:
    with pytest.raises(RecordingError, match="not a valid speedscope file"):
        decode_speedscope(text, "x")


def sampled(unit: str, weight: float) -> dict[str, object]:
    """Return a profile of one sample of the first frame."""
    return {"type": "sampled", "name": unit, "unit": unit, "samples": [[0]], "weights": [weight]}


def test_bytes_stay_bytes_and_profiles_of_another_unit_are_left_out() -> None:
    profiles = [sampled("bytes", 4096), sampled("milliseconds", 3)]
    file = {"shared": {"frames": [{"name": "f"}]}, "profiles": profiles}
    profile = decode_speedscope(json.dumps(file).encode(), "x")
    assert (profile.source.unit, profile.weight_value.tolist()) == ("bytes", [4096])
    assert "1 profiles whose unit is not bytes are left out" in profile.warnings[0].message


def test_deep_events_take_time_by_their_number() -> None:
    count = 8_000  # stacks as lists of frames would hold 64 million numbers
    events = [{"type": "O", "frame": 0, "at": at} for at in range(count)]
    events += [{"type": "C", "frame": 0, "at": count + at} for at in range(count)]
    evented = {"type": "evented", "unit": "nanoseconds", "events": events}
    file = {"shared": {"frames": [{"name": "f"}]}, "profiles": [evented]}
    profile = decode_speedscope(json.dumps(file).encode(), "x")
    assert int(profile.weight_value.sum()) == 2 * count - 1
