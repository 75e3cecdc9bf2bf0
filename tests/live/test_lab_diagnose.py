"""`stallscope lab diagnose` on one program, and its end by Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from stallscope.errors import ExitCode
from tests.documents import assert_valid

pytestmark = pytest.mark.live
MARK = "STALLSCOPE_TEST_RUN"
LAB = (sys.executable, "-m", "stallscope", "lab", "diagnose", "--json", "--seconds", "1")
LIMIT_S = 60


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: wake-ups are recorded on whole CPUs")


def marked(mark: str) -> list[str]:
    """Return the command lines of the processes that were started with a mark."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes():
                lines.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return lines


def wait_until_marked(mark: str, word: str) -> None:
    """Wait until a process with a word in its command line runs."""
    end = time.monotonic() + LIMIT_S
    while not any(word in line for line in marked(mark)):
        assert time.monotonic() < end, marked(mark)
        time.sleep(0.02)


def test_a_program_is_diagnosed_and_its_recording_diagnosed_again(tmp_path: Path) -> None:
    words = ("--only", "computes", "-o", str(tmp_path / "known"))
    first = subprocess.run(
        [*LAB, *words], capture_output=True, text=True, check=False, timeout=2 * LIMIT_S
    )
    assert first.returncode == 0, first.stderr
    assert_valid("lab.diagnose", first.stdout)
    (entry,) = json.loads(first.stdout)["entries"]
    (run,) = entry["runs"]
    assert not run["why"]
    assert run["rate_per_s"] > 0
    assert 0 <= run["busy_before"] <= 1
    words = ("--recorded", str(tmp_path / "known"))
    again = subprocess.run(
        [*LAB, *words], capture_output=True, text=True, check=False, timeout=2 * LIMIT_S
    )
    live = [row for row in json.loads(again.stdout)["entries"] if row["kind"] == "control"]
    assert [row["runs"] for row in live] == [entry["runs"]]


def test_ctrl_c_leaves_no_program_running() -> None:
    mark = uuid.uuid4().hex
    with subprocess.Popen(
        [*LAB, "--only", "lock-hog"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, MARK: mark},
        start_new_session=True,
    ) as lab:
        wait_until_marked(mark, "stallscope-collect")
        assert any("lock-hog" in line for line in marked(mark))
        os.killpg(lab.pid, signal.SIGINT)  # as a terminal does
        output, _ = lab.communicate(timeout=LIMIT_S)
    assert lab.returncode == ExitCode.INTERRUPTED
    assert json.loads(output)["entries"] == []
    assert marked(mark) == []
