"""Request files: what the reference server makes for a path, for loader and replay to read."""

import subprocess
from pathlib import Path

from harness.workload.server import PROGRAM
from stallscope.errors import UnableError
from stallscope.programs import program

REQUESTS = 20_000
_TIMEOUT_S = 60


def made_requests(path: str, output: Path, seed: int) -> Path | None:
    """Return the file of a path's requests, made now; None of the kv path: the loader has its own.

    Raises UnableError where the server cannot make them.
    """
    return None if path == "kv" else make_requests(path, output, seed, REQUESTS)


def make_requests(path: str, output: Path, seed: int, count: int) -> Path:
    """Return the file of so many requests of any path; UnableError where it cannot be made."""
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
            f"{PROGRAM} made no requests within {_TIMEOUT_S} s", "give it more of the machine"
        ) from error
    if run.returncode != 0 or not output.is_file():
        said = run.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
        raise UnableError(
            f"{PROGRAM} made no requests of path {path}: {said[0] if said else run.returncode}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    return output
