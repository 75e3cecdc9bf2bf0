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
    """What the loader said and left behind."""

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
    """The loader: from STALLSCOPE_PROGRAMS, else as installed beside the package."""
    folder = os.environ.get("STALLSCOPE_PROGRAMS")
    return program("stallscope-load", Path(folder) if folder else None)


@pytest.fixture
def load(loader: Path, tmp_path: Path) -> Callable[..., Run]:
    """Runs the loader to its end; short and without a warm-up unless told otherwise."""

    def run(target: str, *words: object, directory: Path | None = None) -> Run:
        output = directory or tmp_path / "load"
        asked = {"--duration": "0.2", "--warmup": "0", "--connections": "4", "-o": str(output)}
        given = [str(word) for word in words]
        usual = [word for pair in asked.items() if pair[0] not in given for word in pair]
        ended = subprocess.run(
            [loader, "--target", target, *usual, *given],
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
    """A redis-server of the test's own."""

    path: Path

    @property
    def target(self) -> str:
        return f"unix:{self.path}"

    def ask(self, *words: str) -> str:
        """What redis-cli prints."""
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
    """The redis-server, empty and with its counts at zero."""
    running_redis.ask("FLUSHALL")
    running_redis.ask("CONFIG", "RESETSTAT")
    return running_redis
