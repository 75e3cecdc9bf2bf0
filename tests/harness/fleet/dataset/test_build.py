"""`harness.fleet.dataset.build`."""

from pathlib import Path

import pytest

from harness.fleet.dataset.build import profile_tables, recordings_of
from tests.profile_builder import ProfileBuilder

pytest.importorskip("pyarrow", reason="needs the extra fleet: pyarrow")


def test_a_profile_becomes_samples_and_stacks() -> None:
    profile = ProfileBuilder().build([(("main", "f"), 3), (("main",), 2)])
    tables = profile_tables(profile, 5, 9)
    assert sum(tables["samples"]["value"]) == int(profile.weight_value.sum())
    assert set(map(tuple, tables["stacks"]["functions"])) == {("main", "f"), ("main",)}
    assert set(tables["samples"]["stack"]) == set(tables["stacks"]["stack"])


def test_recordings_are_found_below_hosts_and_segments(tmp_path: Path) -> None:
    for name in ("a", "b/1", "b/2", "dataset-1/x", ".c-1"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "recording.json").write_text("{}")
    names = [path.relative_to(tmp_path).as_posix() for path in recordings_of(tmp_path)]
    assert names == ["a", "b/1", "b/2"]
