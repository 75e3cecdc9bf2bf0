"""The end of a run: signals, death of the parent, invalid command lines, and the files left."""

import json
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from stallscope import __version__
from tests.live.load.resp_server import after_ping, default_reply, serving


def start_loader(loader: Path, target: str, output: Path, *words: str) -> "subprocess.Popen[str]":
    """A loader that has reported its first second."""
    process = subprocess.Popen(
        [loader, "--target", target, "--warmup", "0", "--duration", "60", "-o", output, *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for_a_second(process)
    return process


def wait_for_a_second(process: "subprocess.Popen[str]") -> None:
    """Read the loader's output up to the end of the current second."""
    assert process.stdout is not None
    events = (json.loads(line)["event"] for line in process.stdout)
    assert "second" in events, "the loader ended before its second was over"


def test_a_signal_ends_the_loader_and_keeps_the_measurement(loader: Path, tmp_path: Path) -> None:
    with serving(after_ping(default_reply)) as server:
        process = start_loader(loader, server.target, tmp_path / "run", "--connections", "2")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    done = json.loads(output.splitlines()[-1])
    assert done["event"] == "done"
    assert done["interrupted"] is True
    assert 1 <= done["measured_s"] < 60
    document = json.loads((tmp_path / "run" / "load.json").read_text())
    assert document["requests"] == done["requests"] > 0


def test_a_stopped_loader_reports_its_own_lag(loader: Path, tmp_path: Path) -> None:
    with serving(after_ping(default_reply)) as server:
        words = ("--connections", "2", "--mode", "open", "--rate", "300", "--arrivals", "fixed")
        process = start_loader(loader, server.target, tmp_path / "run", *words)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        # The second during the stop ends at once; an interrupt now would drop requests that were due.
        wait_for_a_second(process)
        wait_for_a_second(process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    done = json.loads(output.splitlines()[-1])
    # At least one request in four was due during the stop.
    assert done["latency_us"]["p90"] > 50_000
    assert done["own_lag_us"]["p90"] > 0.5 * done["latency_us"]["p90"]
    assert done["limited_by_loader"] is True
    assert "send lag" in done["why"]


def test_logs_are_readable_after_a_kill(loader: Path, tmp_path: Path) -> None:
    with serving(after_ping(default_reply)) as server:
        process = start_loader(loader, server.target, tmp_path / "run", "--connections", "2")
        process.kill()
        process.communicate(timeout=30)
    reader = HistogramLogReader(
        str(tmp_path / "run" / "intended.hlog"), HdrHistogram(1, 3_600_000_000_000, 3)
    )
    assert reader.get_next_interval_histogram().get_total_count() > 0
    reader.input_file.close()
    assert not (tmp_path / "run" / "load.json").exists()


def test_the_loader_ends_with_its_parent(loader: Path, tmp_path: Path) -> None:
    with serving(after_ping(default_reply)) as server:
        shell = (
            f'"{loader}" --target {server.target} --duration 60 --die-with-parent '
            f"-o {tmp_path}/run & echo $!; wait"
        )
        with subprocess.Popen(["/bin/sh", "-c", shell], stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            child = psutil.Process(int(parent.stdout.readline()))
            assert b"started" in parent.stdout.readline()
            parent.kill()
        with suppress(psutil.NoSuchProcess):
            child.wait(timeout=30)
    assert (tmp_path / "run" / "load.json").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--mode", "open"),
        ("--rate", "100"),
        ("--mode", "open", "--rate", "100", "--think-us", "5"),
        ("--value-bytes", "9-3"),
        ("--value-bytes", "-1"),
        ("--value-bytes", "99999999999"),
        ("--key-distribution", "zipf:0"),
        ("--key-distribution", "zipfian"),
        ("--connections", "0"),
        ("--connections", "2", "--threads", "3"),
        ("--connections", "100000", "--pipeline", "4096", "--value-bytes", "1024"),
        ("--read-share", "1.1"),
        ("--duration", "nan"),
        ("--keys", "0"),
        ("--cpus", "1-"),
        ("--check", "--fill"),
        ("--request-file", "/nonexistent"),
        ("--password-file", "/proc/self"),
        ("--target", "example.org"),
        ("--nothing-of-the-kind",),
    ],
)
def test_invalid_command_lines_are_rejected(loader: Path, words: tuple[str, ...]) -> None:
    target = () if "--target" in words else ("--target", "127.0.0.1:1")
    ended = subprocess.run([loader, *target, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("stallscope-load: error: ")
    assert ended.stderr.count("remedy: ") == 1
    assert ended.stdout == ""


def test_missing_resources_are_reported(loader: Path, tmp_path: Path) -> None:
    with serving(after_ping(default_reply)) as server:
        for before, words, why in (
            (["prlimit", "--nofile=50"], [], "open files"),
            ([], ["--cpus", "60000"], "--cpus"),
        ):
            ended = subprocess.run(
                [*before, loader, "--target", server.target, "-o", tmp_path / "run", *words],
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 3
            assert why in ended.stderr
            assert not (tmp_path / "run").exists()


def test_help_has_an_example_and_the_version_is_printed(loader: Path) -> None:
    text = subprocess.run([loader, "--help"], capture_output=True, text=True, check=True).stdout
    assert "Example: stallscope-load --target" in text
    version = subprocess.run([loader, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"stallscope-load {__version__}\n"


def test_a_directory_with_a_run_is_not_overwritten(loader: Path, tmp_path: Path) -> None:
    aim = tmp_path / "aim"
    for name in ("intended.hlog", "load.json"):
        output = tmp_path / f"of-{name}"
        output.mkdir()
        (output / name).symlink_to(aim)
        ended = subprocess.run(
            [loader, "--target", "127.0.0.1:1", "-o", output],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 2
        assert "already contains a run" in ended.stderr
        assert not aim.exists()
        assert [path.name for path in output.iterdir()] == [name]
