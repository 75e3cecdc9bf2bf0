"""Invalid input and failures: a single message with a remedy, the exit code, no partial results."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.cli.command_line import main

pytestmark = pytest.mark.live
STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))


def fails(*arguments: object, status: int, says: str) -> str:
    """The message of a command that must fail with this status and text."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as errors,
    ):
        assert main([*map(str, arguments)]) == status
    message = errors.getvalue()
    assert says in message
    assert "remedy: " in message
    return message


def test_a_missing_process_is_refused(tmp_path: Path) -> None:
    fails("profile", "-p", 2**22 - 3, "-o", tmp_path / "run", status=4, says="no process")
    assert not (tmp_path / "run" / "report.html").exists()


def test_an_existing_output_is_refused(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    (tmp_path / "run").mkdir()
    precious = tmp_path / "run" / "precious"
    precious.write_text("mine")
    words = ("record", "-p", light_process.pid, "--duration", 0.3, "-o", tmp_path / "run")
    fails(*words, status=2, says="exists")
    fails(*words, "--force", status=2, says="")
    assert precious.read_text() == "mine"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["precious"]


def test_force_replaces_a_recording(tmp_path: Path, light_process: subprocess.Popen[str]) -> None:
    words = [
        "record",
        "-p",
        str(light_process.pid),
        "--duration",
        "0.3",
        "-o",
        str(tmp_path / "run"),
    ]
    subprocess.run([STALLSCOPE, *words], check=True, capture_output=True)
    before = (tmp_path / "run" / "recording.json").read_text()
    stale = tmp_path / "run" / "jit" / f"{light_process.pid}.map"
    stale.parent.mkdir()
    stale.write_text("0 ffffffffffffffff not_its_name\n")
    fails(*words, status=2, says="--force")
    subprocess.run([STALLSCOPE, *words, "--force"], check=True, capture_output=True)
    assert (tmp_path / "run" / "recording.json").read_text() != before
    assert not stale.exists()


def test_an_unwritable_output_is_refused(light_process: subprocess.Popen[str]) -> None:
    fails("profile", "-p", light_process.pid, "-o", "/proc/stallscope-run", status=2, says="/proc")


def test_an_idle_process_is_an_empty_recording(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            fails(
                "profile",
                "-p",
                process.pid,
                "--duration",
                0.3,
                "-o",
                tmp_path / "run",
                status=5,
                says="empty",
            )
        finally:
            process.kill()
    assert not (tmp_path / "run" / "report.html").exists()


def test_a_missing_command_is_refused(tmp_path: Path) -> None:
    fails(
        "profile",
        "-o",
        tmp_path / "run",
        "--",
        "/no/such/command",
        status=4,
        says="/no/such/command",
    )


@pytest.mark.parametrize(
    "name", [b"-x", b"--force", b"a b", "\u00fc".encode(), b"\xff\xfe", b"n\nl"]
)
def test_directories_may_have_any_name(tmp_path: Path, name: bytes) -> None:
    busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    words = ["record", "-o", os.fsdecode(name), "--", "sh", "-c", busy]
    run = subprocess.run([STALLSCOPE, *words], cwd=tmp_path, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [name]
    assert run.stdout.count(b"\n") == 1
    run.stdout.decode()


def test_artifacts_that_cannot_be_removed_are_an_error(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    run = tmp_path / "run"
    words = ["record", "-p", str(light_process.pid), "--duration", "0.3", "-o", str(run)]
    subprocess.run([STALLSCOPE, *words], check=True, capture_output=True)
    (run / "jit").symlink_to(tmp_path)
    fails(*words, "--force", status=3, says="cannot remove files")


@pytest.mark.usefixtures("needs_root")
def test_a_full_disk_is_reported_by_profile(
    tmp_path: Path, light_process: subprocess.Popen[str], own_mounts: tuple[str, ...]
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    script = (
        f"mount -t tmpfs -o size=256k none {small} && "
        f"{STALLSCOPE} profile -p {light_process.pid} -F 4999 --duration 20 -o {small}/run; "
        f"code=$?; cat {small}/run/recording.json > {tmp_path}/manifest; ls {small}/run; exit $code"
    )
    run = subprocess.run(
        [*own_mounts, "sh", "-c", script],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 6, run.stderr
    assert "No space left on device" in run.stderr
    assert "remedy: " in run.stderr
    assert "report.html" not in run.stdout
    assert json.loads((tmp_path / "manifest").read_text())["complete"] is False


def test_the_descriptor_limit_is_named_or_avoided(tmp_path: Path) -> None:
    code = (
        "import threading, time\n"
        "for _ in range(60): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "print('ready', flush=True)\n"
        "while True: pass"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            run = subprocess.run(
                ["sh", "-c", f"ulimit -n 64; exec {STALLSCOPE} profile -p {process.pid} --duration 0.3 -o {tmp_path}/run"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        finally:
            process.kill()
    if os.geteuid() == 0:
        assert run.returncode == 0, run.stderr
        assert "too many threads for one event per thread" in run.stdout
    else:
        assert run.returncode == 3
        assert "ulimit -n" in run.stderr


def start_profile(pid: int, output: Path) -> subprocess.Popen[str]:
    """A running profile whose collector writes, in a separate process group as on a terminal."""
    process = subprocess.Popen(
        [STALLSCOPE, "profile", "-p", str(pid), "--duration", "0", "-o", str(output)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    samples = output / "samples.perf"
    while (
        not (samples.exists() and samples.stat().st_size > 50_000) and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    return process


def test_ctrl_c_keeps_the_samples(tmp_path: Path, light_process: subprocess.Popen[str]) -> None:
    process = start_profile(light_process.pid, tmp_path / "run")
    os.killpg(process.pid, signal.SIGINT)
    written, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "report.html" in written
    assert json.loads((tmp_path / "run" / "recording.json").read_text())["complete"] is True


def test_ctrl_c_twice_keeps_only_the_recording(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    process = start_profile(light_process.pid, tmp_path / "run")
    os.killpg(process.pid, signal.SIGINT)
    os.killpg(process.pid, signal.SIGINT)
    # Two signals in quick succession may be merged; the second signal is sent at the end of the recording.
    while process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.01)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "stallscope report" in errors
    assert not (tmp_path / "run" / "report.html").exists()
    again = subprocess.run(
        [STALLSCOPE, "report", tmp_path / "run"], capture_output=True, check=False
    )
    assert again.returncode == 0


@pytest.mark.parametrize("raw", [b"", b"PERFILE2", b"hello, world\n" * 100, bytes(range(256)) * 64])
def test_files_that_are_not_captures_are_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "perf.data"
    path.write_bytes(raw)
    fails("report", path, status=5, says="offset")


def test_a_complete_recording_cut_later_is_reported_with_a_warning(
    tmp_path: Path, light_process: subprocess.Popen[str]
) -> None:
    subprocess.run(
        [STALLSCOPE, "record", "-p", str(light_process.pid), "--duration", "0.3", "-o", tmp_path / "run"],
        check=True, capture_output=True,
    )  # fmt: skip
    samples = tmp_path / "run" / "samples.perf"
    os.truncate(samples, samples.stat().st_size - 7)
    run = subprocess.run(
        [STALLSCOPE, "report", "--no-page", tmp_path / "run"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert "The capture is truncated at offset" in " ".join(run.stdout.split())
