"""Makes the pictures and the tree of README from real runs on this machine.

Run as ``.venv/bin/python docs/pictures/make.py [NAME...]`` after ``./dev test``; without names, all
are made. Writes diagnose.png (the page of a diagnosis of threads that wait for a mutex), flame.png
(the page of a profile of redis-server under load) and topdown.txt (a top-down tree of a program
whose bottleneck is known; counted if the machine has hardware counters, else modelled).
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.chromium import started  # noqa: E402 - needs the path above

STALLSCOPE = (sys.executable, "-m", "stallscope")
KERNEL = ("kernels", "random-branches", "--iterations", "200000000")
WAITING = ("stallscope-kernels", "lock-hog", "--duration", "30")
LARGEST_PICTURE_BYTES = 300_000
# Lines of the tree's head that describe this machine and this run at length.
LEFT_OUT = ("interval", "command", "native", "frequency", "simulated", "anchor", "latencies")
CONTINUATION = " " * 11


def topdown_tree() -> str:
    """The command line and the output of `stallscope topdown` for mispredicted branches."""
    for source in ("pmu", "model"):
        words = ["topdown", "--source", source, "--", "stallscope", *KERNEL]
        command = [*STALLSCOPE, *words[:4], *STALLSCOPE, *KERNEL]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            break
    run.check_returncode()
    shown: list[str] = []
    left_out = False
    for line in run.stdout.splitlines():
        if not line.startswith(CONTINUATION):
            left_out = line.startswith((*LEFT_OUT, "{"))
        if not left_out:
            shown.append(line.rstrip())
    return "\n".join([f"$ stallscope {' '.join(words)}", *shown]) + "\n"


def profile_page(folder: Path) -> Path:
    """The page of a profile of redis-server while redis-benchmark sends commands."""
    socket = folder / "redis.sock"
    server_command = ["redis-server", "--port", "0", "--unixsocket", socket, "--save", ""]
    load_command = [
        "redis-benchmark",
        "-s",
        socket,
        "-q",
        "-l",
        "-P",
        "8",
        "-t",
        "get,set,lrange_100",
    ]
    with subprocess.Popen(server_command, cwd=folder, stdout=subprocess.DEVNULL) as server:
        while not socket.exists():
            time.sleep(0.05)
        with subprocess.Popen(load_command, cwd=folder, stdout=subprocess.DEVNULL) as load:
            try:
                subprocess.run(
                    [*STALLSCOPE, "profile", "-p", str(server.pid), "-o", str(folder / "profile")],
                    cwd=ROOT,
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
            finally:
                load.terminate()
                server.terminate()
    return folder / "profile" / "report.html"


def diagnosis_page(folder: Path) -> Path:
    """The page of a diagnosis of a thread that computes under a mutex while others wait for it."""
    programs = ROOT / "stallscope" / "programs"
    subprocess.run(
        [*STALLSCOPE, "diagnose", "--duration", "5", "-o", folder / "diagnosis", "--", *WAITING],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return folder / "diagnosis" / "report.html"


def write_picture(name: str, page_of: Callable[[Path], Path]) -> None:
    """Write a PNG of a page in a window of 1280 x 1000 pixels."""
    with tempfile.TemporaryDirectory() as folder, started("1280,1000") as browser:
        browser.get(page_of(Path(folder)).as_uri())
        WebDriverWait(browser, 60).until(
            lambda page: page.execute_script("return document.documentElement.dataset.ready")
        )
        png = browser.get_screenshot_as_png()
    if len(png) > LARGEST_PICTURE_BYTES:
        raise SystemExit(f"{name} has {len(png)} bytes, more than {LARGEST_PICTURE_BYTES}")
    (HERE / name).write_bytes(png)


def main(names: Sequence[str]) -> int:
    """Write the files with these names, or all."""
    parts = {
        "diagnose.png": partial(write_picture, "diagnose.png", diagnosis_page),
        "flame.png": partial(write_picture, "flame.png", profile_page),
        "topdown.txt": lambda: (HERE / "topdown.txt").write_text(topdown_tree()),
    }
    for name in names or parts:
        if name not in parts:
            raise SystemExit(f"{name} is none of {', '.join(parts)}")
        parts[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
