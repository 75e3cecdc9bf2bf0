"""Targets of the recording benchmarks, which count their own work, so that a slowdown shows."""

import mmap
import os
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

SOURCES = Path(__file__).parent / "targets"
REQUESTS_PER_S = 20_000  # redis uses some 40 % of a CPU and switches as often


class RecordTarget(Protocol):
    """A running process with a counter of the work it has done."""

    @property
    def pid(self) -> int:
        """Return the process id."""

    def work(self) -> int:
        """Return the units of work done since the start."""


@dataclass(frozen=True, slots=True)
class BusyPair:
    """Two threads of arithmetic on two cores."""

    pid: int
    counters: mmap.mmap

    def work(self) -> int:
        """Return the chunks done by both threads."""
        words = struct.unpack_from("=16Q", self.counters)
        return int(words[0] + words[8])


@contextmanager
def running_pair(command: Sequence[str | Path], counters: Path) -> Iterator[BusyPair]:
    """Run a program that counts the chunks of its two threads in a file, until the block's end."""
    counters.write_bytes(bytes(4096))
    with subprocess.Popen([*command, counters], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            with counters.open("r+b") as file:
                yield BusyPair(process.pid, mmap.mmap(file.fileno(), 4096))
        finally:
            process.kill()


@contextmanager
def busy_pair(folder: Path) -> Iterator[BusyPair]:
    """Compile and run the two-thread target until the end of the block."""
    program, counters = folder / "busy_pair", folder / "counters"
    subprocess.run(
        ["cc", "-O2", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread",
         "-o", program, SOURCES / "busy_pair.c"],
        check=True,
    )  # fmt: skip
    with running_pair([program], counters) as pair:
        yield pair


@dataclass(frozen=True, slots=True)
class Redis:
    """Debian's redis-server under load on loopback."""

    pid: int
    port: int
    load_pid: int

    def work(self) -> int:
        """Return the commands processed since the server's start."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"INFO stats\r\n")
            reply = b""
            while b"total_commands_processed:" not in reply or not reply.endswith(b"\r\n"):
                reply += connection.recv(65536)
        return int(reply.partition(b"total_commands_processed:")[2].split(b"\r\n")[0])


def free_port() -> int:
    """Return a free TCP port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until a server listens on a loopback port; RuntimeError after ten seconds."""
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"no server listens on port {port}")


@contextmanager
def redis_under_load(folder: Path) -> Iterator[Redis]:
    """Run redis-server and an endless redis-benchmark against it until the end of the block."""

    def load(port: int) -> list[str]:
        words = ["redis-benchmark", "-p", str(port), "-c", "16", "-P", "16", "-t", "get,set"]
        return [*words, "-l", "-q", "-n", "1000000", "-r", "100000"]

    with _redis(folder, load) as redis:
        yield redis


@contextmanager
def redis_at_rate(folder: Path) -> Iterator[Redis]:
    """Run redis-server with single requests at a fixed rate until the end of the block."""
    program = folder / "redis_load"
    subprocess.run(["cc", "-O2", "-o", program, SOURCES / "redis_load.c"], check=True)
    with _redis(folder, lambda port: [str(program), str(port), str(REQUESTS_PER_S)]) as redis:
        yield redis


@contextmanager
def pinned(redis: AbstractContextManager[Redis]) -> Iterator[Redis]:
    """Keep the server on one CPU and its load on another one.

    Otherwise the scheduler moves both between CPUs, and the CPU time of a request depends on
    whether they share one.
    """
    cpus = sorted(os.sched_getaffinity(0))
    with redis as server:
        if len(cpus) > 1:
            for pid, cpu in ((server.pid, cpus[0]), (server.load_pid, cpus[1])):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    os.sched_setaffinity(int(task.name), {cpu})
        yield server


@contextmanager
def _redis(folder: Path, load_command: Callable[[int], list[str]]) -> Iterator[Redis]:
    port = free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
        stdout=subprocess.DEVNULL,
    )
    load = None
    try:
        wait_for(port)
        load = subprocess.Popen(
            load_command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        yield Redis(server.pid, port, load.pid)
    finally:
        for process in (load, server):
            if process is not None:
                process.terminate()
                process.wait()
