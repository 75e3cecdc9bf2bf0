"""The live view in a real terminal: keys sort, list keys, freeze, write the page and quit."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tmux import Window, window

WORK = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
BUSY = f"{WORK}while True: sum(range(1000))"
STALLSCOPE = Path(sys.executable).with_name("stallscope")


@pytest.fixture
def busy() -> Iterator[int]:
    """Return the id of a process with one thread that runs and one that waits."""
    with subprocess.Popen([sys.executable, "-c", BUSY]) as process:
        yield process.pid
        process.kill()


def open_view(pid: int, *options: str) -> str:
    words = [str(STALLSCOPE), "top", "-p", str(pid), "--interval", "0.5", *options]
    return " ".join(words)


def ready(terminal: Window) -> str:
    return terminal.wait_for("threads read", "lock or condition", "run queue", "sleep states")


@pytest.mark.live
def test_keys_sort_list_the_keys_and_quit(busy: int, tmp_path: Path) -> None:
    with window(open_view(busy, "--functions", "0"), tmp_path) as terminal:
        shown = ready(terminal)
        assert "slots and IPC: unavailable" in shown
        assert "functions: unavailable: switched off" in shown
        terminal.press("?")
        terminal.wait_for("freeze, record 5 s")
        terminal.press("?")
        ready(terminal)
        terminal.press("s")
        terminal.wait_for("running")
        limit = time.monotonic() + 30
        names: list[str] = []
        while names != ["lock", "run", "running"] and time.monotonic() < limit:
            names = re.findall(r"^  (lock|running|run)\b", terminal.screen(), re.MULTILINE)
        assert names == ["lock", "run", "running"]
        terminal.press("q")
        assert terminal.ended()


@pytest.mark.live
def test_a_key_freezes_the_view_and_writes_the_page(busy: int, tmp_path: Path) -> None:
    with window(open_view(busy, "--functions", "0"), tmp_path) as terminal:
        ready(terminal)
        terminal.press("p")
        terminal.wait_for("FROZEN", "recording 5 s")
        shown = terminal.wait_for("page: ")
        assert "report.html" in shown
        (page,) = tmp_path.glob("stallscope-top-*/report.html")
        assert page.stat().st_size > 10_000
        terminal.press("c")
        terminal.wait_for("q quit")
        assert "FROZEN" not in terminal.screen()
        terminal.press("q")
        assert terminal.ended()


@pytest.mark.live
def test_the_view_ends_with_the_process_and_restores_the_terminal(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY]) as process:
        command = f"{open_view(process.pid, '--functions', '0')}; echo status=$?; stty -a; cat"
        with window(command, tmp_path) as terminal:
            ready(terminal)
            process.kill()
            process.wait()
            shown = terminal.wait_for("status=4", "has ended", " icanon ", " echo ")
            assert "Traceback" not in shown


@pytest.mark.live
def test_the_cost_of_the_view_is_printed(busy: int, tmp_path: Path) -> None:
    """The figure is for the log: a share of CPU time depends on the machine."""
    with window(open_view(busy).replace("0.5", "2"), tmp_path) as terminal:
        terminal.wait_for("functions (49 Hz, last recording)")
        shown = terminal.screen()
    (share,) = re.findall(r"stallscope top: ([\d.]+)% of a CPU", shown)
    print(f"stallscope top used {share} % of a CPU since its start, with a recording")
