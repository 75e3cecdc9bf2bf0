"""Recordings of disk measurements: what is replaced, what is forgotten, what they say."""

import json
import re
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.io.recording import (
    IoRun,
    is_io,
    make_directory,
    write_document,
    write_manifest,
)
from harness.recordings.directory import remove_empty
from harness.report.disk import report_disk
from stallscope.errors import UnableError, UsageError
from stallscope.recordings import open_recording, read_manifest


def run_in(folder: Path) -> IoRun:
    return IoRun(folder, "probe", "/srv", 1, {"direct.hlog": "HdrHistogram V2 interval log, ns"})


def test_a_manifest_is_unfinished_until_it_has_an_end(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    write_manifest(run, end=None)
    assert is_io(tmp_path)
    assert not read_manifest(tmp_path / "recording.json").complete
    write_manifest(run, end="signal", modelled=True, warnings=["noisy"])
    manifest = read_manifest(tmp_path / "recording.json")
    assert (manifest.complete, manifest.end_reason, manifest.source.kind) == (
        True,
        "signal",
        "modelled",
    )
    assert manifest.notices[0].message == "noisy"
    assert manifest.target.command[-1] == "/srv"


def test_only_a_recording_of_a_disk_is_replaced_and_only_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    make_directory(folder, force=False)
    write_manifest(run_in(folder), end="duration")
    for name in ("direct.hlog", "probe.json", "report.html", "mine.txt"):
        (folder / name).write_text("{}")
    with pytest.raises(UsageError, match="already exists"):
        make_directory(folder, force=False)
    make_directory(folder, force=True)
    assert sorted(path.name for path in folder.iterdir()) == ["mine.txt", "recording.json"]
    with pytest.raises(UsageError, match="not a recording of a disk"):
        make_directory(tmp_path, force=True)
    with pytest.raises(UsageError, match="cannot make"):
        make_directory(tmp_path / "none" / "run", force=False)


def test_a_manifest_cannot_name_files_elsewhere_to_be_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "precious").write_text("x")
    told = {"kind": "io", "files": [{"name": "../precious"}, {"name": ""}, {}]}
    (folder / "recording.json").write_text(json.dumps(told))
    make_directory(folder, force=True)
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("name", ["folder", "..", "a\0b"])
def test_a_manifest_that_names_no_file_is_no_fault_of_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    told = {"kind": "io", "files": [{"name": name}]}
    (tmp_path / "recording.json").write_text(json.dumps(told))
    with pytest.raises(UsageError, match="cannot replace"):
        make_directory(tmp_path, force=True)
    assert (tmp_path / "folder").is_dir()


def facts_of(page: str) -> set[str]:
    """The labels of a page's head."""
    return set(re.findall(r'<th scope="row">([^<]*)</th>', page))


@pytest.mark.live
def test_what_the_machine_was_set_to_is_kept_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the manifest, the document, the text and the page; and when it is shown again."""
    folder = tmp_path / "run"
    words = ["io", "queue", str(tmp_path), "--interval", "0.1", "-o", str(folder)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["settings"]
    assert {"idle_governor", "states", "frequencies", "turbo_allowed", "warnings"} <= set(told)
    assert json.loads((folder / "recording.json").read_text())["settings"] == told
    assert {"sleep states", "frequency"} <= facts_of((folder / "report.html").read_text())
    assert main(["report", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == told
    assert main(["report", str(folder)]) == 0
    again = capsys.readouterr().out
    assert "\nsleep states: " in again
    assert "\nfrequency: " in again
    assert main([*words, "--force"]) == 0
    assert "\nsleep states: " in capsys.readouterr().out


@pytest.mark.live
def test_where_nothing_ran_no_settings_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert main(["io", "queue", str(tmp_path), "-o", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] is None
    assert json.loads((folder / "recording.json").read_text())["settings"] is None
    assert main(["report", str(folder)]) == 0
    assert "sleep states: " not in capsys.readouterr().out
    assert "sleep states" not in facts_of((folder / "report.html").read_text())


def test_what_was_not_begun_is_forgotten(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write_manifest(run_in(folder), end=None)
    with pytest.raises(UnableError, match="holds no result"):
        report_disk(open_recording(folder), output=None, with_page=False, as_json=False)
    write_document(run_in(folder), {"schema": "x"})
    remove_empty(folder)
    assert folder.exists()
    (folder / "probe.json").unlink()
    remove_empty(folder)
    assert not folder.exists()
