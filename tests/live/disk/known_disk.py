"""The known disk: our FUSE server with a number of servers and a service time that a test sets."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from stallscope.programs import program


@dataclass(frozen=True)
class KnownDisk:
    """A server that runs; its file is there while it does."""

    process: "subprocess.Popen[str]"
    path: str
    real_time: bool


@contextmanager
def known_disk(*words: object) -> Iterator[KnownDisk]:
    """Serve a disk until the block ends. Skips where FUSE cannot be had."""
    with subprocess.Popen(
        [program("stallscope-known-disk"), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            if not (line := process.stdout.readline()):
                pytest.skip(f"needs the kernel's FUSE: {process.stderr.read().splitlines()[0]}")
            ready = json.loads(line)
            yield KnownDisk(process, ready["path"], ready["real_time"])
        finally:
            process.kill()


@contextmanager
def loop_device(path: str | Path, *words: str) -> Iterator[str]:
    """A loop device over a file until the block ends. Skips where none can be had."""
    made = subprocess.run(
        ["losetup", "--find", "--show", *words, str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode != 0:
        pytest.skip(f"needs the kernel's loop devices: {made.stderr.strip()}")
    device = made.stdout.strip()
    admitted = Path("/sys/block", Path(device).name, "queue/nr_requests")
    before = admitted.read_text()
    try:
        yield device
    finally:
        with suppress(OSError):  # else the device's next file would inherit what a test has set
            admitted.write_text(before)
        subprocess.run(["losetup", "--detach", device], check=True)
