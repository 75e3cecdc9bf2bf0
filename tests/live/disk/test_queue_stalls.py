"""Submission stalls that are planted: more in flight than nr_requests lets in, and appending."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from ioprobe.block_queue.snapshot import read_block_queue
from ioprobe.engine.engine import Point, plan_document
from stallscope.programs import program
from stallscope.system_files import Roots
from tests.ioprobe.engine_target import Target
from tests.live.disk.known_disk import loop_device

pytestmark = pytest.mark.live


@contextmanager
def reading(device: str, depth: int) -> Iterator[None]:
    """The engine reads the device until the block ends."""
    target = Target(path=device, span_bytes=1 << 20, simulated=None)
    plan = plan_document(target, [Point("a", depth=depth, duration_s=600)], real_time=False)
    with subprocess.Popen(
        [program("stallscope-ioqueue"), "--die-with-parent", "points"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin as stdin:
            stdin.write(json.dumps(plan))
        began = [process.stdout.readline(), process.stdout.readline()]
        assert '"progress"' in began[1], began
        if json.loads(began[0])["io_uring"] is not None:
            process.kill()
            pytest.skip(f"needs the kernel's io_uring: {json.loads(began[0])['io_uring']}")
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()


@pytest.mark.parametrize("depth", [64, 1])
def test_more_than_nr_requests_are_punted_and_fewer_are_not(
    scratch_file: Path, needs_root: None, depth: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with loop_device(scratch_file) as device:
        queue = Path("/sys/block", Path(device).name, "queue")
        (queue / "scheduler").write_text("none")
        (queue / "nr_requests").write_text("4")
        with reading(device, depth):
            assert main(["io", "queue", device, "--interval", "0.5", "--json"]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    if made["stalls"] is None:
        pytest.skip(f"needs the kernel's tracepoints: {made['stalls_missing']}")
    assert made["devices"][0]["queue"]["nr_requests"] == 4
    ours = [process for process in made["stalls"]["processes"] if process["submitted"]]
    assert [process["name"] for process in ours] == ["stallscope-ioqu"]
    (engine,) = ours
    assert made["devices"][0]["over_interval"]["reads_per_s"] > 0
    if depth == 1:
        assert engine["punts"] == 0
        assert engine["cause"] != "over nr_requests"
    else:
        assert engine["punts"] > 0
        assert engine["cause"] == "over nr_requests"


@contextmanager
def appending(file: Path) -> Iterator[int]:
    """Fio writes past the end of a file until the block ends; its pid."""
    words = ["--name=append", f"--filename={file}", "--size=4g", "--rw=write", "--bs=4k"]
    words += ["--direct=1", "--ioengine=io_uring", "--iodepth=2", "--fallocate=none"]
    words += ["--thread"]  # one process, which is gone when it is killed
    with subprocess.Popen(
        ["fio", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not (file.exists() and file.stat().st_size > 0):
                if process.poll() is not None:
                    pytest.skip("needs the kernel's io_uring: fio ended without writing")
                time.sleep(0.02)
            yield process.pid
        finally:
            process.kill()


def test_direct_writes_beyond_the_end_are_reported_as_appending(
    tmp_path: Path, needs_root: None, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("fio") is None:
        pytest.skip("needs the program fio: it is not installed")
    mount = read_block_queue(tmp_path, Roots()).location.mount
    if mount is None or mount.filesystem not in ("ext4", "xfs"):
        pytest.skip("needs the kernel's ext4 or xfs: temporary files are on another filesystem")
    with appending(tmp_path / "file") as pid:
        assert main(["io", "queue", str(tmp_path), "--interval", "0.5", "--json"]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    if made["stalls"] is None:
        pytest.skip(f"needs the kernel's tracepoints: {made['stalls_missing']}")
    if made["stalls"]["missing"]:
        pytest.skip(f"needs the kernel's tracepoints: {made['stalls']['missing'][0]}")
    (fio,) = [process for process in made["stalls"]["processes"] if process["pid"] == pid]
    assert fio["punts"] > 0
    assert fio["append_share"] > 0.25
    assert fio["cause"] == "appending"
