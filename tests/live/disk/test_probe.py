"""`stallscope io probe` on disks whose answer is known, and where things go wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from harness.cli.command_line import main
from ioprobe.target import alignment
from stallscope.errors import ExitCode
from stallscope.histograms import read_interval_log
from tests.ioprobe.engine_target import MS
from tests.live.disk.known_disk import known_disk

pytestmark = pytest.mark.live
DEADLINE_S = 60


def probed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["io", "probe", *words, "--json"]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def file_of(folder: Path) -> Path:
    path = folder / "file"
    path.write_bytes(os.urandom(1 << 20))
    return path


@pytest.mark.usefixtures("needs_root")
def test_no_request_is_faster_than_the_disk(capsys: pytest.CaptureFixture[str]) -> None:
    with known_disk("--servers", 1, "--service-us", 2000, "--size-bytes", 1 << 20) as disk:
        made = probed(capsys, disk.path, "--read-path", "direct", "--count", "50")
    assert (made["requests"], made["source"]) == (50, "measured")
    assert made["latency_ns"]["min"] >= 2 * MS
    assert made["iops"] <= 500
    assert "not requested" in made["page_cache_missing"]


@pytest.mark.usefixtures("needs_root")
def test_errors_are_reported_and_other_requests_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with known_disk("--service-us", 0, "--fail-every", 5, "--size-bytes", 1 << 20) as disk:
        words = [disk.path, "--read-path", "direct", "--count", "100"]
        made = probed(capsys, *words)
        assert main(["io", "probe", *words]) == 0
    assert made["requests"] + made["errors"]["EIO"] == 100
    assert made["self_check"]["ok"] is False
    output = capsys.readouterr().out
    assert "requests failed with EIO" in output
    assert "SELF CHECK FAILED" in output


@pytest.mark.usefixtures("needs_root")
def test_a_probe_without_a_successful_request_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    with known_disk("--service-us", 0, "--fail-every", 1, "--size-bytes", 1 << 20) as disk:
        status = main(["io", "probe", disk.path, "--count", "20", "-o", str(folder)])
    output = capsys.readouterr()
    assert status == ExitCode.TARGET_FAILED
    assert output.out == ""
    assert "no request completed: 20 EIO" in output.err
    assert output.err.count("\n") == 2
    assert not (folder / "report.html").exists()


@pytest.mark.usefixtures("needs_root")
def test_a_disk_slower_than_one_request_per_second_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with known_disk("--service-us", 1_100_000, "--size-bytes", 1 << 20) as disk:
        made = probed(capsys, disk.path, "--read-path", "direct", "--duration", "0.2")
    assert made["requests"] >= 1
    assert made["latency_ns"]["min"] >= 1100 * MS


def test_direct_and_cached_reads_of_a_file_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = [str(file_of(tmp_path)), "--count", "200", "-o", str(folder)]
    status = main(["io", "probe", *words, "--json"])
    output = capsys.readouterr()
    if "only the page cache could be measured" in output.err:
        pytest.skip("needs the kernel's direct I/O: none on this filesystem")
    assert status == 0
    made = json.loads(output.out)
    assert made["requests"] == made["page_cache"]["requests"] == 200
    for name in ("direct.hlog", "cached.hlog"):
        whole = read_interval_log(folder / name).merged()
        assert whole is not None
        assert whole.total == 200
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("plot-bar series-1") > 0


def test_the_page_cache_of_any_filesystem_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with NamedTemporaryFile(dir="/dev/shm") as file:
        file.write(bytes(1 << 20))
        file.flush()
        made = probed(capsys, file.name, "--cached", "--count", "100")
        assert main(["io", "probe", file.name]) == ExitCode.UNABLE
    assert (made["cache"], made["requests"], made["page_cache"]) == ("page cache", 100, None)
    assert "io probe --cached" in capsys.readouterr().err


def test_ctrl_c_keeps_the_results_so_far(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    words = [str(file_of(tmp_path)), "--cached", "--duration", "600", "-o", str(folder), "--json"]
    terminal, its_end = os.openpty()  # the live line is shown to a terminal only
    with subprocess.Popen(
        [sys.executable, "-m", "stallscope", "io", "probe", *words],
        stdout=subprocess.PIPE,
        stderr=its_end,
        text=True,
    ) as process:
        os.close(its_end)
        output = b""
        while not re.search(rb"[1-9][0-9,]* requests", output):
            output += os.read(terminal, 4096)  # OSError once the command has ended
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=DEADLINE_S)
    os.close(terminal)
    assert process.returncode == 0
    assert b"of 600 s" in output
    made = json.loads(out)
    assert made["complete"] is False
    assert made["requests"] > 0
    assert json.loads((folder / "probe.json").read_text())["complete"] is False
    assert json.loads((folder / "recording.json").read_text())["end"]["reason"] == "signal"


@pytest.mark.usefixtures("needs_root")
def test_a_disk_that_does_not_answer_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignment, "_TIMEOUT_S", 0.5)
    with known_disk("--service-us", 500_000_000, "--size-bytes", 1 << 20) as disk:
        assert main(["io", "probe", disk.path]) == ExitCode.UNABLE
    assert re.search(r"did not answer a read of \d+ bytes within 0.5 s", capsys.readouterr().err)


def children(pid: int) -> list[Path]:
    """What in /proc stands for a process's children."""
    folders = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # of one that ended meanwhile
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                folders.append(status.parent)
    return folders


@pytest.mark.usefixtures("needs_root")
def test_ctrl_c_ends_the_probe_of_a_silent_disk() -> None:
    with (
        known_disk("--service-us", 500_000_000, "--size-bytes", 1 << 20) as disk,
        subprocess.Popen(
            [sys.executable, "-m", "stallscope", "io", "probe", disk.path],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        while process.poll() is None and not children(process.pid):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 128 + signal.SIGINT
    assert "interrupted" in out
