"""The loader, and redis-server as its target."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stallscope.programs import program
from tests.live.server.server_process import redis_server


@dataclass
class Run:
    """A finished run of the loader: its output and its files."""

    status: int
    messages: str
    lines: list[dict[str, Any]]
    directory: Path

    @property
    def done(self) -> dict[str, Any]:
        assert self.lines, self.messages
        assert self.lines[-1]["event"] == "done"
        return self.lines[-1]

    @property
    def document(self) -> dict[str, Any]:
        return json.loads((self.directory / "load.json").read_text())


@pytest.fixture(scope="session")
def loader() -> Path:
    """The loader from STALLSCOPE_PROGRAMS, otherwise from the installed package."""
    folder = os.environ.get("STALLSCOPE_PROGRAMS")
    return program("stallscope-load", Path(folder) if folder else None)


@pytest.fixture
def load(loader: Path, tmp_path: Path) -> Callable[..., Run]:
    """A function that runs the loader to its end; by default short and without a warm-up."""

    def run(target: str, *words: object, directory: Path | None = None) -> Run:
        output = directory or tmp_path / "load"
        defaults = {"--duration": "0.2", "--warmup": "0", "--connections": "4", "-o": str(output)}
        arguments = [str(word) for word in words]
        others = [word for pair in defaults.items() if pair[0] not in arguments for word in pair]
        ended = subprocess.run(
            [loader, "--target", target, *others, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        return Run(ended.returncode, ended.stderr, lines, output)

    return run


@dataclass
class Redis:
    """A redis-server for the tests."""

    path: Path

    @property
    def target(self) -> str:
        return f"unix:{self.path}"

    def ask(self, *words: str) -> str:
        """The output of redis-cli."""
        return subprocess.run(
            ["redis-cli", "-s", str(self.path), *words], capture_output=True, text=True, check=True
        ).stdout.strip()


@pytest.fixture(scope="module")
def running_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A redis-server on a unix socket."""
    with redis_server(tmp_path_factory.mktemp("redis")) as path:
        yield Redis(path)


@pytest.fixture
def redis(running_redis: Redis) -> Redis:
    """The redis-server, without keys and with counters at zero."""
    running_redis.ask("FLUSHALL")
    running_redis.ask("CONFIG", "RESETSTAT")
    return running_redis
