"""`stallscope topdown` on a machine without hardware counters: refusals and reports."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.machine_checks.check import Status
from harness.topdown.sources import pmu_check
from stallscope.errors import ExitCode
from stallscope.system_files import Roots

pytestmark = pytest.mark.live

BUSY = (sys.executable, "-c", "print('mine', sum(range(3_000_000)))")


@pytest.fixture(autouse=True, scope="module")
def _without_pmu() -> None:
    if pmu_check(Roots()).status is not Status.UNAVAILABLE:
        pytest.skip("needs a machine without hardware counters: this one has them")


def topdown(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stallscope", "topdown", *words]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=60,
        env=os.environ | {"NO_COLOR": "1"},
        **options,
    )


def test_source_pmu_is_refused_with_a_remedy() -> None:
    run = topdown("--source", "pmu", "-p", str(os.getpid()))
    assert (run.returncode, run.stdout) == (ExitCode.UNABLE, "")
    error, remedy = run.stderr.splitlines()
    assert error.startswith("stallscope: error: no hardware counters (")
    assert remedy.startswith("  remedy: ")
    assert "stallscope profile" in remedy


def test_auto_reports_samples_and_kernel_counters_and_succeeds(tmp_path: Path) -> None:
    run = topdown("--json", "--", *BUSY, cwd=tmp_path)
    assert run.returncode == ExitCode.DONE
    result = json.loads(run.stdout)
    assert (result["schema"], result["kind"]) == ("stallscope.topdown/1", "unavailable")
    assert (result["nodes"], result["ipc"], result["bottleneck"]) == ({}, None, None)
    labels = [fact["label"] for fact in result["facts"]]
    assert {"CPU time", "faults", "switches", "unknown"} <= set(labels)
    assert any("no hardware counters" in warning for warning in result["warnings"])
    assert "--source model -- CMD models" in run.stderr
    assert "mine" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_whole_cpus_are_refused() -> None:
    run = topdown("-a", "-d", "0.1")
    assert (run.returncode, run.stdout) == (ExitCode.UNABLE, "")


def test_an_idle_process_is_reported(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        run = topdown("-p", str(sleeper.pid), "-d", "1", cwd=tmp_path)
        sleeper.kill()
    assert run.returncode == ExitCode.DONE
    assert "no samples: the target used almost no CPU time" in run.stdout
    assert "finding    waiting: sleep" in run.stdout


def test_a_target_that_ends_at_once(tmp_path: Path) -> None:
    run = topdown("-o", "kept", "-I", "100", "--", "/bin/true", cwd=tmp_path)
    assert run.returncode == ExitCode.DONE
    assert "unknown    slots" in run.stdout
    assert "-I has no effect without hardware counters" in run.stderr
    manifest = json.loads((tmp_path / "kept" / "recording.json").read_text())
    assert "settings" in manifest
    again = topdown("-o", "kept", "--", "/bin/true", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (ExitCode.USAGE, "")
    assert "--force" in again.stderr
    assert topdown("--force", "-o", "kept", "--", "/bin/true", cwd=tmp_path).stdout != ""


def test_a_picture_needs_counters_and_the_report_is_printed(tmp_path: Path) -> None:
    run = topdown("-o", "slots.svg", "-I", "100", "--", *BUSY, cwd=tmp_path)
    assert run.returncode == ExitCode.DONE, run.stderr
    assert "-o slots.svg is not written: a picture needs counted intervals" in run.stderr
    assert "unknown    slots" in run.stdout
    assert not (tmp_path / "slots.svg").exists()
    run = topdown("--source", "pmu", "-o", "x.svg", "-I", "100", "--", *BUSY, cwd=tmp_path)
    assert run.returncode == ExitCode.UNABLE


@pytest.mark.parametrize("words", [("-p", "2147483646"), ("--", "/no/such/command")])
def test_a_missing_target(tmp_path: Path, words: tuple[str, ...]) -> None:
    run = topdown(*words, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (ExitCode.TARGET_FAILED, "")
    assert "remedy:" in run.stderr


def test_control_characters_in_a_name_are_escaped(tmp_path: Path) -> None:
    program = tmp_path / "evil\x1b[31m\n\u202e"
    program.symlink_to("/bin/true")
    run = topdown("--", str(program), cwd=tmp_path)
    assert run.returncode == ExitCode.DONE
    assert "\x1b" not in run.stdout + run.stderr
    assert "\u202e" not in run.stdout + run.stderr
