"""Reports of untrusted and damaged recordings: a summary or an error, never a traceback."""

import json
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.profile.analysis import _full_process_name
from stallscope._native import read_capture
from stallscope.recordings import MANIFEST, SAMPLES
from tests.captures.pipes import pipe_content
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
    """A function from changes of the manifest to exit code, stdout and stderr of its report."""

    def report(*words: str, **changes: Any) -> tuple[int, str, str]:
        run = tmp_path / "run"
        run.mkdir(exist_ok=True)
        shutil.copy(checkout / "tests/captures/pipe.perf", run / SAMPLES)
        (run / MANIFEST).write_text(json.dumps({**MANIFEST_OF, **changes}))
        code = main(["report", str(run), *words])
        return (code, *capsys.readouterr())

    return report


def test_duration_and_date_come_from_the_manifest(reported, tmp_path: Path) -> None:
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
def test_impossible_numbers_are_refused(reported, changes: dict[str, Any]) -> None:
    code, out, errors = reported(**changes)
    assert code == 5, out
    assert "remedy: " in errors


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_escape_sequences_do_not_reach_the_terminal(reported, words: tuple[str, ...]) -> None:
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


def test_a_date_beyond_the_calendar_is_omitted(reported) -> None:
    clocks = {**MANIFEST_OF["clocks"], "start_realtime_ns": 2**63 - 1}
    assert reported(clocks=clocks)[0] == 0


@pytest.mark.parametrize(
    ("comm", "paths", "expected"),
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
def test_a_name_cut_by_the_kernel_is_completed(
    profile_of, comm: str, paths: list[bytes], expected: str
) -> None:
    profile = profile_of([(("main",), 1)], threads=(Thread(1, 1, comm, comm),))
    capture = SimpleNamespace(objects=[SimpleNamespace(path=path) for path in paths])
    assert _full_process_name(profile, capture) == expected


def test_a_pipe_in_a_recording_is_refused_without_blocking(tmp_path: Path, capsys) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    assert main(["report", str(tmp_path)]) == 5
    assert "not a regular file" in capsys.readouterr().err
    (tmp_path / MANIFEST).unlink()
    (tmp_path / MANIFEST).write_text(json.dumps(MANIFEST_OF))
    os.mkfifo(tmp_path / SAMPLES)
    for place in (tmp_path, tmp_path / SAMPLES):
        assert main(["report", str(place)]) == 5
        assert "not a regular file" in capsys.readouterr().err


def test_stacks_copied_by_perf_are_unwound_and_missing_binaries_named(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = checkout / "tests/captures/dwarf.perf"
    assert main(["report", str(recorded), "-o", str(tmp_path / "page.html")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "whole" in out
    assert "/busy: stacks may end in it: the file is missing" in out


def test_stacks_of_a_pipe_without_a_temporary_directory_are_an_error(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    content = pipe_content((checkout / "tests/captures/dwarf.perf").read_bytes())
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    code = main(["report", f"/dev/fd/{reader}", "-o", str(tmp_path / "page.html")])
    os.close(reader)
    errors = capsys.readouterr().err
    assert code == 3
    assert f"cannot store copied stacks in {tmp_path / 'none'}" in errors
    assert "remedy: set TMPDIR" in errors


PERF_MESSAGES = (
    b"[ perf record: Woken up 1 times to write data ]\n"
    b"[ perf record: Captured and wrote 0.004 MB - ]\n"
)


def test_messages_of_perf_after_a_pipe_capture_are_skipped_with_a_warning(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.perf"
    path.write_bytes((checkout / "tests/captures/pipe.perf").read_bytes() + PERF_MESSAGES)
    assert main(["report", str(path), "--no-page"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "9 samples" in out
    assert "Messages of perf follow the capture" in out


@pytest.mark.parametrize("name", ["file", "pipe"])
def test_a_cut_capture_states_the_lost_share(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "x.perf"
    whole = (checkout / f"tests/captures/{name}.perf").read_bytes()
    records_end = read_capture(checkout / f"tests/captures/{name}.perf").records_end
    path.write_bytes(whole[: (records_end or len(whole)) - 3])
    assert main(["report", str(path), "--no-page"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(r"truncated at offset [0-9]+: [0-9.]+ % of it is lost", out)


def test_a_file_without_its_last_sections_loses_no_sample(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.perf"
    whole = (checkout / "tests/captures/file.perf").read_bytes()
    records_end = read_capture(checkout / "tests/captures/file.perf").records_end
    assert records_end is not None
    path.write_bytes(whole[: records_end + 10])
    assert main(["report", str(path), "--no-page"]) == 0
    assert "all samples were read" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("name", "share"), [("file", 0.08), ("pipe", 0.001)])
def test_a_capture_that_is_mostly_lost_is_an_error(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, share: float
) -> None:
    path = tmp_path / "x.perf"
    whole = (checkout / f"tests/captures/{name}.perf").read_bytes()
    path.write_bytes(whole[: max(300, int(share * len(whole)))])
    assert main(["report", str(path), "--no-page"]) == 5
    assert "remedy: " in capsys.readouterr().err


def test_a_complete_recording_cut_later_states_the_lost_samples(reported, tmp_path: Path) -> None:
    assert reported(samples=9)[0] == 0
    samples = tmp_path / "run" / SAMPLES
    os.truncate(samples, samples.stat().st_size - 3)
    capture = read_capture(samples, allow_truncated=True)
    (tmp_path / "run" / MANIFEST).write_text(json.dumps({**MANIFEST_OF, "samples": 9}))
    code = main(["report", str(tmp_path / "run"), "--no-page"])
    assert code == (5 if len(capture.time_ns) < 5 else 0)
