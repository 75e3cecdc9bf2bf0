"""Directories of recordings are replaced only by the same kind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cstates.record import files as record_files
from harness.io import recording as io_recording
from harness.load import recording as load_recording
from harness.recordings.directory import (
    is_recording_of,
    make_new_directory,
    remove_empty,
    write_manifest,
)
from harness.recordings.manifest import IdleManifest, IoManifest, LoadManifest, this_host
from stallscope.errors import UsageError
from stallscope.recordings import RecordedEnd, RecordedEvent, Target, read_manifest

Make = Callable[..., None]
KINDS: tuple[tuple[str, Make, str], ...] = (
    ("load", load_recording.make_directory, "load.json"),
    ("idle", record_files.make_directory, "idle.json"),
    ("io", io_recording.make_directory, "report.html"),
)
MANIFESTS = {"load": LoadManifest, "idle": IdleManifest, "io": IoManifest}


def recorded(folder: Path, kind: str) -> Path:
    manifest = MANIFESTS[kind](
        command=("x",),
        target=Target("command", command=("x",)),
        source=RecordedEvent(event="requests"),
        end=RecordedEnd(reason="duration"),
    )
    write_manifest(folder, manifest, begin_ns=1, ended=True)
    return folder


@pytest.mark.parametrize(("kind", "make", "document"), KINDS)
def test_force_replaces_a_recording_of_the_same_kind(
    kind: str, make: Make, document: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    make(folder, force=False)
    recorded(folder, kind)
    assert is_recording_of(kind, folder)
    (folder / document).write_text("old")
    (folder / "notes.txt").write_text("a stranger's")
    with pytest.raises(UsageError, match="already exists"):
        make(folder, force=False)
    make(folder, force=True)
    assert not (folder / document).exists()
    assert (folder / "notes.txt").exists()


@pytest.mark.parametrize("make", [make for _, make, _ in KINDS])
def test_another_kind_is_never_replaced(make: Make, tmp_path: Path) -> None:
    recorded(tmp_path, "load")
    manifest = tmp_path / "recording.json"
    manifest.write_text(manifest.read_text().replace('"kind": "load"', '"kind": "some other"'))
    with pytest.raises(UsageError, match="and is not replaced"):
        make(tmp_path, force=True)


@pytest.mark.parametrize(("kind", "make", "document"), KINDS)
def test_a_folder_with_the_name_of_a_file_is_rejected(
    kind: str, make: Make, document: str, tmp_path: Path
) -> None:
    recorded(tmp_path, kind)
    (tmp_path / document).mkdir()
    with pytest.raises(UsageError, match="cannot replace"):
        make(tmp_path, force=True)


def test_a_recording_with_only_a_manifest_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    recorded(folder, "load")
    (folder / "found").write_text("")
    remove_empty(folder)
    assert folder.exists()
    (folder / "found").unlink()
    remove_empty(folder)
    assert not folder.exists()


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    recorded(tmp_path, "load")
    manifest = read_manifest(tmp_path / "recording.json")
    assert (manifest.schema, manifest.kind, manifest.complete) == (
        "stallscope.recording/1.0",
        "load",
        True,
    )
    assert manifest.target == Target("command", command=("x",))
    assert (manifest.source.event, manifest.end_reason) == ("requests", "duration")
    assert manifest.host == this_host()
    assert manifest.start_ns == 1
    assert manifest.end_ns is not None


def test_an_existing_directory_of_results_is_not_written_to(tmp_path: Path) -> None:
    make_new_directory(tmp_path / "lab")
    assert (tmp_path / "lab").is_dir()
    with pytest.raises(UsageError, match="already exists") as error:
        make_new_directory(tmp_path / "lab")
    assert "-o" in error.value.remedy
    with pytest.raises(UsageError):
        make_new_directory(tmp_path / "missing" / "lab")
