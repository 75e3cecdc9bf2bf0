"""Makes the picture and the tree of README from real runs on this machine.

Run as ``.venv/bin/python docs/pictures/make.py`` after ``./dev test``. Writes flame.png (the page
of a profile of redis-server under load) and topdown.txt (a top-down tree of a program whose
bottleneck is known; counted if the machine has hardware counters, else modelled).
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.chromium import started  # noqa: E402 - needs the path above

STALLSCOPE = (sys.executable, "-m", "stallscope")
KERNEL = ("kernels", "random-branches", "--iterations", "200000000")
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


def picture(page: Path) -> bytes:
    """A PNG of the page in a window of 1280 x 1000 pixels."""
    with started("1280,1000") as browser:
        browser.get(page.as_uri())
        return browser.get_screenshot_as_png()


def main() -> int:
    """Write both files."""
    (HERE / "topdown.txt").write_text(topdown_tree())
    with tempfile.TemporaryDirectory() as folder:
        png = picture(profile_page(Path(folder)))
    if len(png) > LARGEST_PICTURE_BYTES:
        raise SystemExit(f"the picture has {len(png)} bytes, more than {LARGEST_PICTURE_BYTES}")
    (HERE / "flame.png").write_bytes(png)
    return 0


if __name__ == "__main__":
    sys.exit(main())
