"""Request files, which the reference server generates for the loader and for replays."""

import subprocess
from pathlib import Path

from harness.workload.server import PROGRAM
from stallscope.errors import UnableError
from stallscope.programs import program

REQUESTS = 20_000
SCAN_KEYS = 128  # consecutive keys of one request
SCAN_VALUE_BYTES = 1024  # so that a scan reads 128 KiB
_TIMEOUT_S = 60


def generate_path_requests(path: str, output: Path, seed: int) -> Path | None:
    """Return a new file of requests for a path; None for path kv: the loader generates those.

    Raises UnableError if the server cannot generate them.
    """
    return None if path == "kv" else generate_requests(path, output, seed, REQUESTS)


def scan_requests(output: Path, *, keys: int) -> Path:
    """Return a new file of scans, RANGE of consecutive keys, which together read all keys."""
    with output.open("wb") as file:
        for first in range(0, keys, SCAN_KEYS):
            last = min(keys, first + SCAN_KEYS) - 1
            words = [b"RANGE", b"key:%012d" % first, b"key:%012d" % last, b"%d" % SCAN_KEYS]
            file.write(b"*%d\r\n" % len(words))
            for word in words:
                file.write(b"$%d\r\n%s\r\n" % (len(word), word))
    return output


def generate_requests(path: str, output: Path, seed: int, count: int) -> Path:
    """Return a new file of ``count`` requests for any path.

    Raises UnableError if the server cannot generate them.
    """
    words = ["--path", path, "--make-requests", count, "--requests-seed", seed, "-o", output]
    try:
        run = subprocess.run(
            [program(PROGRAM), *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnableError(
            f"{PROGRAM} generated no requests within {_TIMEOUT_S} s",
            "reduce the load on this machine and try again",
        ) from error
    if run.returncode != 0 or not output.is_file():
        messages = run.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = messages[0] if messages else f"exit status {run.returncode}"
        raise UnableError(
            f"{PROGRAM} generated no requests for path {path}: {reason}",
            "reinstall stallscope, or run ./dev build in a checkout",
        )
    return output
