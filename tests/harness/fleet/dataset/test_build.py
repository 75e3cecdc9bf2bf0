"""`harness.fleet.dataset.build`."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.cli.symbol_places import SymbolPlaces
from harness.fleet.dataset import build
from harness.fleet.dataset.build import (
    RecordingTables,
    build_part,
    profile_tables,
    recordings_of,
)
from harness.fleet.dataset.parts import find_parts
from harness.fleet.diff.session import fleet_diff
from harness.fleet.query import QueryOptions
from harness.fleet.top.session import fleet_top
from harness.fleet.top.text import lines
from harness.recordings.kinds import PROFILE
from tests.profile_builder import ProfileBuilder
from topdown.stacks.profile_warning import DOWNLOAD_WARNING, ProfileWarning

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


def write_recording(folder: Path, counts: int) -> None:
    """Write a recording of counters that is still written: its first lines."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"schema": "stallscope.recording/1.0", "complete": False, "start_realtime_ns": 5}
    (folder / "recording.json").write_text(json.dumps(manifest))
    (folder / "direct.hlog").write_text("\n" * counts)


def test_a_recording_that_grew_replaces_its_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "kind_of", lambda _: "waits")
    monkeypatch.setattr(build, "tables_of", lambda *_: RecordingTables({}))
    recording = tmp_path / "a"
    write_recording(recording, 1)
    first = build_part(tmp_path, recording).part
    assert build_part(tmp_path, recording).part == first
    (recording / "report.html").write_text("a page changes nothing")
    assert build_part(tmp_path, recording).part == first
    write_recording(recording, 2)
    second = build_part(tmp_path, recording).part
    assert second != first
    assert find_parts([tmp_path], "recordings") == (second,)


def test_debug_files_replace_a_part_and_stay_without_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[SymbolPlaces] = []

    def tables(_: object, places: SymbolPlaces) -> RecordingTables:
        used.append(places)
        return RecordingTables({})

    monkeypatch.setattr(build, "kind_of", lambda _: "waits")
    monkeypatch.setattr(build, "tables_of", tables)
    recording, places = tmp_path / "a", SymbolPlaces(debug_directories=(tmp_path / "debug",))
    write_recording(recording, 1)
    without = build_part(tmp_path, recording).part
    named = build_part(tmp_path, recording, places).part
    assert (named.recording, used[-1]) == (without.recording, places)
    assert named != without
    assert build_part(tmp_path, recording).part == named
    assert build_part(tmp_path, recording, places).part == named
    assert find_parts([tmp_path], "recordings") == (named,)
    assert len(used) == 2
    write_recording(recording, 2)
    assert build_part(tmp_path, recording).part not in (named, without)


def test_a_part_whose_debug_files_were_not_downloaded_is_built_again_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = ProfileBuilder().build([(("main", "f"), 3)])
    failure = ProfileWarning(DOWNLOAD_WARNING, "/bin/x: no debug file from debuginfod: refused.")
    other = ProfileWarning("truncated", "Other.")
    failing = replace(profile, warnings=(other, failure))
    monkeypatch.setattr(build, "kind_of", lambda _: PROFILE)
    monkeypatch.setattr(build, "_profile", lambda *_: failing)
    recording, places = tmp_path / "a", SymbolPlaces(debuginfod_urls="http://127.0.0.1:9")
    write_recording(recording, 0)
    (recording / "direct.hlog").unlink()
    for _ in range(2):
        built = build_part(tmp_path, recording, places)
        assert built.warnings == (failure.message,)
    assert build_part(tmp_path, recording).warnings == ()
    options = QueryOptions((tmp_path,), places=places)
    result = fleet_top(options)
    assert result.warnings == (f"a: {failure.message}",)
    assert "warning: a: /bin/x: no debug file" in "\n".join(lines(result, 80))
    assert fleet_diff(options, options).after.warnings == result.warnings
    monkeypatch.setattr(build, "_profile", lambda *_: profile)
    assert fleet_top(options).warnings == ()
    monkeypatch.setattr(build, "_profile", lambda *_: failing)
    assert fleet_top(options).warnings == ()  # the part has its debug files
