"""`stallscope top` without a terminal: one snapshot as text or JSON, and errors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.top.session import open_page, slots_missing
from stallscope.system_files import Roots
from tests.documents import assert_valid

QUICK = ["--interval", "0.5", "--functions", "0"]


@pytest.mark.live
def test_a_pipe_gets_one_snapshot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "-p", str(os.getpid()), *QUICK]) == 0
    shown = capsys.readouterr().out
    assert f"(pid {os.getpid()})" in shown
    assert "functions: unavailable: switched off" in shown


@pytest.mark.live
def test_the_document_of_the_machine_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "--json", *QUICK]) == 0
    printed = capsys.readouterr().out
    assert_valid("top", printed)
    shares = [wait["share"] for wait in json.loads(printed)["waits"]]
    assert sum(shares) == pytest.approx(1)


@pytest.mark.live
def test_the_hottest_functions_come_from_a_short_recording(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        status = main(["top", "-p", str(process.pid), "--interval", "0.5", "--json"])
        process.kill()
    result = json.loads(capsys.readouterr().out)
    assert status == 0
    assert result["functions"], result["missing"]
    assert not list(tmp_path.iterdir()), "the recording is removed"


@pytest.mark.usefixtures("needs_root")
def test_an_ordinary_user_sees_own_processes_and_the_missing_parts_of_others() -> None:
    code = (
        "import os, sys, subprocess; from harness.cli.command_line import main;"
        # Imports happen first: modules may be in folders that the other user cannot read.
        f"options = {QUICK!r}; main(['top', '-p', str(os.getpid()), *options]);"
        "os.setresuid(65534, 65534, 65534); os.environ.pop('HOME', None); print('OWN');"
        "child = subprocess.Popen(['sleep', '60']);"
        "main(['top', '-p', str(child.pid), *options]); child.kill(); child.wait(); print('OTHER');"
        "sys.exit(main(['top', '-p', str(os.getppid()), *options]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    own, _, other = ended.stdout.partition("OWN")[2].partition("OTHER")
    assert "threads read" in own
    assert "causes of waits: unavailable" not in own
    assert "causes of waits: unavailable: /proc/PID/task/TID/syscall" in other


def test_a_process_that_does_not_exist_is_exit_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "-p", str(2**22 + 1)]) == 4
    assert "remedy: " in capsys.readouterr().err


def test_the_reason_for_missing_slots_depends_on_the_machine(tmp_path: Path) -> None:
    roots = Roots.recorded(tmp_path)
    assert "no hardware counters" in slots_missing(roots).reason
    (tmp_path / "sys/bus/event_source/devices/cpu").mkdir(parents=True)
    assert "stallscope topdown -p PID" in slots_missing(roots).reason


def test_no_browser_is_started_without_a_graphical_session(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
    open_page(tmp_path / "report.html")
