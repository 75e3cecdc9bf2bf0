"""Truncated and damaged captures give a capture or a single error, in bounded time."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stallscope._native import CaptureError, read_capture

CAPTURES = Path(__file__).parent.parent / "captures"
SEEDS = {path.stem: path.read_bytes() for path in sorted(CAPTURES.glob("*.perf"))}


def outcome(path: Path, *, allow_truncated: bool) -> str:
    """The result of reading."""
    try:
        capture = read_capture(path, allow_truncated=allow_truncated)
    except CaptureError as error:
        message, offset, path_text = error.args
        assert message
        assert offset >= 0
        assert path_text == str(path)
        return "error"
    assert capture.stack_offset[-1] == len(capture.stack_frame)
    assert all(column.size == capture.time_ns.size for column in (capture.stack, capture.thread))
    return "truncated" if capture.truncated_at is not None else "whole"


@pytest.mark.parametrize("name", ["file", "pipe", "zstd_pipe", "big_endian", "big_endian_pipe"])
def test_a_capture_truncated_at_every_byte(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.perf"
    seen = set()
    path.write_bytes(SEEDS[name])
    for size in reversed(range(len(SEEDS[name]))):
        os.truncate(path, size)
        strict = outcome(path, allow_truncated=False)
        tolerant = outcome(path, allow_truncated=True)
        assert strict in {"error", "whole"}
        if strict == "whole":
            # Only a pipe may end after any record.
            assert "pipe" in name
            assert tolerant == "whole"
        seen.add(tolerant)
    assert {"error", "truncated"} <= seen


changes = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(SEEDS)), changes, st.booleans())
def test_a_capture_with_changed_bytes(
    name: str, edits: list[tuple[float, bytes]], allow_truncated: bool
) -> None:
    content = bytearray(SEEDS[name])
    for place, replacement in edits:
        at = int(place * len(content))
        content[at : at + len(replacement)] = replacement
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.perf"
        path.write_bytes(content)
        outcome(path, allow_truncated=allow_truncated)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([b"PERFILE2", b"2ELIFREP"]), st.binary(max_size=400))
def test_any_bytes_after_the_magic(magic: bytes, rest: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.perf"
        path.write_bytes(magic + rest)
        outcome(path, allow_truncated=True)
