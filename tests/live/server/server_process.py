"""The servers under test as processes: stallscope-server, and redis-server as the reference."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.live.server.raw_client import PATIENCE_S, RawClient

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class RunningServer:
    process: subprocess.Popen[str]
    port: int
    metrics_port: int | None = None

    def memory_bytes(self) -> int:
        """Its resident memory."""
        return psutil.Process(self.process.pid).memory_info().rss

    def descriptors(self) -> int:
        return psutil.Process(self.process.pid).num_fds()


def server_program() -> Path:
    folder = Path(os.environ.get("STALLSCOPE_PROGRAMS", ROOT / "stallscope" / "programs"))
    program = folder / "stallscope-server"
    if not program.exists():
        pytest.skip("needs the program stallscope-server: ./dev build makes it")
    return program


def need_cpus(threads: int) -> None:
    """Skip the test if there are too few CPUs to pin the threads."""
    if len(os.sched_getaffinity(0)) < threads:
        pytest.skip("needs two CPUs: the server pins each thread to its own")


@contextmanager
def stallscope_server(*options: str, prefix: tuple[str, ...] = ()) -> Iterator[RunningServer]:
    """stallscope-server on a free port; it must be alive at the end, and end on SIGTERM.

    `prefix` is a command that starts it, as ``("prlimit", "--nofile=64")``.
    """
    command = [*prefix, str(server_program()), "--port", "0", "--die-with-parent", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["event"] == "ready"
        yield RunningServer(process, ready["port"], ready["metrics_port"])
        assert process.poll() is None, "the server ended while it was under test"
        process.terminate()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def redis_server(folder: Path) -> Iterator[Path]:
    """Debian's redis-server without a disk; its unix socket."""
    if shutil.which("redis-server") is None:
        pytest.skip("needs the program redis-server")
    address = folder / "redis.socket"
    options = ["--port", "0", "--unixsocket", str(address), "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(["redis-server", *options, "--loglevel", "warning"])
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not answers(address):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield address
    finally:
        process.kill()
        process.wait()


def answers(address: Path) -> bool:
    try:
        with RawClient(address) as client:
            return client.ask("PING") == b"+PONG\r\n"
    except OSError:
        return False
