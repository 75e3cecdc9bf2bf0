"""Recordings of strangers, reported: one clear error or an honest summary, never a traceback."""

import json
import os
import shutil
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.profile.analysis import _whole_name
from stallscope.recordings import MANIFEST, SAMPLES
from topdown.stacks.profile import Thread

MANIFEST_OF = {
    "schema": "stallscope.recording/1.0",
    "complete": True,
    "target": {"kind": "process", "pids": [12], "cpus": None, "command": []},
    "source": {"event": "cpu-clock", "kind": "measured", "unit": "ns", "frequency_hz": 999},
    "clocks": {
        "start_monotonic_ns": 5,
        "start_realtime_ns": 1_700_000_000_000_000_000,
        "end_monotonic_ns": 10**10,
    },
}
ESCAPE = "\x1b[31mred\x1b]0;title\x07"


@pytest.fixture
def reported(checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A function from changes of the manifest to (exit code, stdout, stderr) of its report."""

    def report(*words: str, **changes: Any) -> tuple[int, str, str]:
        run = tmp_path / "run"
        run.mkdir(exist_ok=True)
        shutil.copy(checkout / "tests/captures/pipe.perf", run / SAMPLES)
        (run / MANIFEST).write_text(json.dumps({**MANIFEST_OF, **changes}))
        code = main(["report", str(run), *words])
        return (code, *capsys.readouterr())

    return report


def test_the_manifest_is_believed_where_it_can_be(reported, tmp_path: Path) -> None:
    code, out, _ = reported()
    assert code == 0
    assert "in 10.0 s" in out
    assert "2023-11-14 22:13 UTC" in (tmp_path / "run/report.html").read_text()


@pytest.mark.parametrize(
    "changes",
    [
        {"losses": {"lost_samples": -1}},
        {"losses": {"lost_samples": 2**63}},
        {"samples": -5},
        {"clocks": {"start_monotonic_ns": 10, "end_monotonic_ns": 5}},
        {"clocks": {"start_monotonic_ns": 0, "end_monotonic_ns": 10**400}},
        {"source": {**MANIFEST_OF["source"], "frequency_hz": -1}},
        {"source": {**MANIFEST_OF["source"], "period": 10**30}},
        {"losses": {"lost_samples": 10**15}},
    ],
)
def test_numbers_that_cannot_be_are_refused(reported, changes: dict[str, Any]) -> None:
    code, out, errors = reported(**changes)
    assert code == 5, out
    assert "remedy: " in errors


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_escape_sequences_reach_no_terminal(reported, words: tuple[str, ...]) -> None:
    code, out, errors = reported(
        *words,
        target={"kind": "command", "command": [ESCAPE, "\ud800"]},
        source={**MANIFEST_OF["source"], "event": ESCAPE, "scope": ESCAPE, "frequency_hz": None},
        warnings=[{"code": ESCAPE, "message": ESCAPE}],
        host={"hostname": ESCAPE},
        end={"reason": ESCAPE, "target_status": ESCAPE},
    )
    assert code == 0, errors
    assert "\x1b[31m" not in out + errors
    assert "\x1b]" not in out + errors


def test_a_moment_that_no_calendar_has(reported) -> None:
    clocks = {**MANIFEST_OF["clocks"], "start_realtime_ns": 2**63 - 1}
    assert reported(clocks=clocks)[0] == 0


@pytest.mark.parametrize(
    ("comm", "paths", "shown"),
    [
        (
            "stallscope-kern",
            [b"/usr/lib/libc.so.6", b"/opt/stallscope-kernels"],
            "stallscope-kernels",
        ),
        ("stallscope-kern", [b"/a/stallscope-kern1", b"/b/stallscope-kern2"], "stallscope-kern"),
        ("stallscope-kern", [b"[vdso]", b"//anon"], "stallscope-kern"),
        ("redis-server", [b"/usr/bin/redis-server-check"], "redis-server"),
        ("", [], "(no name)"),
    ],
)
def test_a_name_that_the_kernel_cut_is_made_whole(
    profile_of, comm: str, paths: list[bytes], shown: str
) -> None:
    profile = profile_of([(("main",), 1)], threads=(Thread(1, 1, comm, comm),))
    capture = SimpleNamespace(objects=[SimpleNamespace(path=path) for path in paths])
    assert _whole_name(profile, capture) == shown


def test_a_pipe_in_a_recording_is_not_waited_for(tmp_path: Path, capsys) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    assert main(["report", str(tmp_path)]) == 5
    assert "not a regular file" in capsys.readouterr().err
    (tmp_path / MANIFEST).unlink()
    (tmp_path / MANIFEST).write_text(json.dumps(MANIFEST_OF))
    os.mkfifo(tmp_path / SAMPLES)
    for place in (tmp_path, tmp_path / SAMPLES):
        assert main(["report", str(place)]) == 5
        assert "not a regular file" in capsys.readouterr().err


def test_stacks_that_perf_copied_are_unwound_and_missing_binaries_named(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = checkout / "tests/captures/dwarf.perf"
    assert main(["report", str(recorded), "-o", str(tmp_path / "page.html")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "whole" in out
    assert "/busy: stacks may end in it: the file is missing" in out


def test_stacks_of_a_pipe_that_can_wait_nowhere_are_one_error(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    content = piped((checkout / "tests/captures/dwarf.perf").read_bytes())
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    code = main(["report", f"/dev/fd/{reader}", "-o", str(tmp_path / "page.html")])
    os.close(reader)
    errors = capsys.readouterr().err
    assert code == 3
    assert f"copied stacks cannot wait in {tmp_path / 'none'}" in errors
    assert "remedy: set TMPDIR" in errors


def piped(file: bytes) -> bytes:
    """The records of a file with one event, behind the header of a pipe."""
    entry, attributes, data, size = struct.unpack_from("<QQ8xQQ", file, 16)
    attribute = file[attributes : attributes + entry - 16]
    head = struct.pack("<8sQIHH", b"PERFILE2", 16, 64, 0, 8 + len(attribute))
    return head + attribute + file[data : data + size]
