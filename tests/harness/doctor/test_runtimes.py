"""`stallscope doctor -p PID`: readable runtimes, and remedies for the others."""

import json
import os
from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.doctor.runtimes import check_runtimes, runtime_lines
from harness.machine_checks.check import Status
from stallscope.errors import StallscopeError
from tests.documents import assert_valid

PID = 4711


def collector(folder: Path, *runtimes: dict[str, str], status: int = 0) -> Path:
    """Return a program that prints this document, as the collector does."""
    document = {"schema": "stallscope.runtimes/1", "pid": PID, "runtimes": runtimes}
    path = folder / "collector"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(document)}\nEND\nexit {status}\n")
    path.chmod(0o755)
    return path


def proc(folder: Path, *files: str) -> Path:
    (folder / "proc" / str(PID)).mkdir(parents=True)
    lines = [f"1000-2000 r-xp 00000000 08:01 5      {path}\n" for path in files]
    (folder / "proc" / str(PID) / "maps").write_text("".join(lines))
    return folder / "proc"


def test_a_readable_runtime_is_available(tmp_path: Path) -> None:
    ruby = {"name": "ruby", "version": "3.1.7", "refusal": ""}
    result = check_runtimes(PID, collector(tmp_path, ruby), proc(tmp_path, "/usr/bin/ruby3.1"))
    (runtime,) = result.runtimes
    assert (runtime.status, runtime.remedy) == (Status.AVAILABLE, "")
    assert runtime_lines(result) == ["available    ruby 3.1.7: functions are read from outside"]


def test_a_refused_runtime_has_a_remedy(tmp_path: Path) -> None:
    node = {"name": "v8", "version": "9.4.146", "refusal": "unsupported version"}
    (runtime,) = check_runtimes(PID, collector(tmp_path, node), proc(tmp_path)).runtimes
    assert runtime.status == Status.UNAVAILABLE
    assert "--perf-basic-prof" in runtime.remedy


def test_missing_permission_is_the_remedy_of_a_closed_process(tmp_path: Path) -> None:
    node = {"name": "v8", "version": "", "refusal": "no permission to read the memory"}
    (runtime,) = check_runtimes(PID, collector(tmp_path, node), proc(tmp_path)).runtimes
    assert runtime.remedy == "run stallscope as root or as the user of the process"


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so", "PerfMapEnabled"),
        ("/usr/lib/erlang/erts-14.2/bin/beam.smp", "+JPperf"),
        ("/opt/julia/lib/julia/libjulia-internal.so.1.10", "ENABLE_JITPROFILING"),
        ("/usr/lib/x86_64-linux-gnu/libluajit-5.1.so.2", "LUAJIT"),
    ],
)
def test_runtimes_that_are_not_read_have_a_remedy(path: str, remedy: str, tmp_path: Path) -> None:
    (runtime,) = check_runtimes(PID, collector(tmp_path), proc(tmp_path, path)).runtimes
    assert runtime.status == Status.UNAVAILABLE
    assert remedy in runtime.remedy


def test_a_process_without_runtime_says_so(tmp_path: Path) -> None:
    result = check_runtimes(PID, collector(tmp_path), proc(tmp_path, "/usr/bin/cat"))
    assert "no known runtime" in runtime_lines(result)[0]


def test_a_process_that_cannot_be_examined_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StallscopeError, match="cannot be examined"):
        check_runtimes(PID, collector(tmp_path, status=3), proc(tmp_path))
    with pytest.raises(StallscopeError, match="does not exist"):
        check_runtimes(PID + 1, collector(tmp_path), tmp_path / "proc")


def test_this_process_runs_cpython(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "-p", str(os.getpid()), "--json"]) == 0
    text = capsys.readouterr().out
    assert_valid("doctor.runtimes", text)
    (runtime,) = [entry for entry in json.loads(text)["runtimes"] if entry["name"] == "cpython"]
    assert runtime["status"] in ("available", "unavailable")
