"""A disk that falls silent in the middle: one Ctrl-C ends a command and keeps what was measured."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.disk.known_disk import known_disk

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]

DEADLINE_S = 120  # a fifth of the disk's silence
QUIET_S = 1.5  # a live line that stands still for so long
STALLSCOPE = (sys.executable, "-m", "stallscope")
WITHOUT_IO_URING = (sys.executable, "-m", "tests.live.disk.without_io_uring")


def silent_after(answered: int) -> tuple[object, ...]:
    return ("--slow-after", answered, "--slow-us", 600_000_000)


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status, standard output, and its live line."""

    status: int
    out: str
    live_line: str

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document


def interrupted_once(command: Sequence[str], checkout: Path, *, after: str) -> Ended:
    """Run a command; once its live line contains ``after`` and then stands still, one Ctrl-C."""
    terminal, its_end = os.openpty()  # the live line is shown to a terminal only
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=its_end, text=True, cwd=checkout
    ) as process:
        os.close(its_end)
        live_line, last = "", ""
        until_s = time.monotonic() + DEADLINE_S
        while process.poll() is None and time.monotonic() < until_s:
            ready, _, _ = select.select([terminal], [], [], QUIET_S)
            if ready:
                try:
                    live_line += os.read(terminal, 65536).decode()
                except OSError:  # it ended by itself: what is asserted tells of it
                    break
            now = re.sub(r"[0-9.]+ of [0-9.]+ s", "", live_line.rpartition("\r")[2])
            if re.search(after, live_line) and (not ready or now == last):
                break
            last = now
        else:
            if process.poll() is None:
                process.kill()
                pytest.fail(f"the live line never contained {after!r}: {live_line!r}")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=DEADLINE_S)
    os.close(terminal)
    if "cannot: " in live_line:
        pytest.skip(f"needs the kernel's seccomp: {live_line}")
    return Ended(process.returncode, out, live_line)


@pytest.mark.parametrize("program", [STALLSCOPE, WITHOUT_IO_URING])
@pytest.mark.parametrize(("duration", "answered"), [("600", 400), ("0.1", 30)])
def test_a_probe_keeps_its_requests(
    program: tuple[str, ...], duration: str, answered: int, checkout: Path
) -> None:
    """While requests count, and when the time is over and the last one is waited for."""
    planted = ("--service-us", 1000, "--size-bytes", 1 << 20, *silent_after(answered))
    with known_disk(*planted) as disk:
        words = ("io", "probe", disk.path, "--duration", duration, "--json")
        ended = interrupted_once((*program, *words), checkout, after=r"[1-9]\d* requests")
    assert ended.status == 0, ended.live_line
    made = ended.document
    assert made["engine"] == ("uring" if program == STALLSCOPE else "preadv2")
    assert made["complete"] is False
    assert made["page_cache"] is None
    assert 0 < made["requests"] <= answered
    assert made["requests"] == sum(count for _, _, count in made["histogram"])
    assert made["latency_ns"]["min"] >= 1_000_000


def test_filling_the_page_cache_is_abandoned(checkout: Path) -> None:
    planted = ("--service-us", 100, "--size-bytes", 64 << 20, *silent_after(100))
    with known_disk(*planted) as disk:
        command = (*STALLSCOPE, "io", "probe", disk.path, "--count", "5", "--json")
        ended = interrupted_once(command, checkout, after="filling the page cache")
    assert ended.status == 0, ended.live_line
    made = ended.document
    assert (made["requests"], made["complete"]) == (5, False)
    assert made["page_cache_missing"] == "interrupted before"


@pytest.mark.parametrize("program", [STALLSCOPE, WITHOUT_IO_URING])
def test_a_curve_keeps_its_readings(
    program: tuple[str, ...], checkout: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    options = ("--max-depth", "4", "--repeats", "50", "--duration", "0.1", "--warmup", "0")
    planted = ("--servers", 1, "--service-us", 2000, "--size-bytes", 1 << 20, *silent_after(500))
    with known_disk(*planted) as disk:
        words = ("io", "curve", disk.path, *options, "-o", str(folder), "--json")
        ended = interrupted_once((*program, *words), checkout, after=r"depths, [2-9] of")
    assert ended.status == 0, ended.live_line
    made = ended.document
    assert made["complete"] is False
    assert sum(point["readings"] + len(point["masked"]) for point in made["points"]) > 0
    kept = json.loads((folder / "recording.json").read_text())
    assert kept["end"]["reason"] == "signal"
