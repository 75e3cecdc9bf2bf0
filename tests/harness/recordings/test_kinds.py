"""The kind of a recording."""

import json
from pathlib import Path

import pytest

from harness.recordings.kinds import COUNTERS, PROFILE, kind_of
from stallscope.recordings import MANIFEST, open_recording


@pytest.mark.parametrize(
    ("kind", "files", "expected"),
    [
        ("samples", (), PROFILE),
        (None, (), PROFILE),
        ("counters", ("plan.json",), COUNTERS),
        ("io", (), "io"),
    ],
)
def test_the_kind_comes_from_the_manifest_or_the_files(
    tmp_path: Path, kind: str | None, files: tuple[str, ...], expected: str
) -> None:
    manifest = {"schema": "stallscope.recording/1.0", "complete": True}
    (tmp_path / MANIFEST).write_text(json.dumps(manifest | ({"kind": kind} if kind else {})))
    for name in files:
        (tmp_path / name).write_text("")
    assert kind_of(open_recording(tmp_path)) == expected
