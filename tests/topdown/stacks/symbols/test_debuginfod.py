"""Debug files from a small server on loopback."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from stallscope.errors import UsageError
from topdown.stacks.symbols.debuginfod import (
    add_debug_files,
    fetch,
    hot_objects,
    servers_of,
)
from topdown.stacks.symbols.sources import SymbolSources

CONTENT = bytes(range(256)) * 4096  # 1 MiB
HOT, RARE = b"\xab" * 20, b"\xcd" * 20


class Server(ThreadingHTTPServer):
    """Serves CONTENT for the build id HOT; ``cut``: bytes after which a connection is closed."""

    daemon_threads = True
    cut: int | None = None
    ignores_ranges = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wish = self.headers.get("Range")
        self.server.requests.append((self.path, wish))
        if self.path != f"/buildid/{HOT.hex()}/debuginfo":
            self.send_error(404)
            return
        start = int(wish.removeprefix("bytes=").rstrip("-")) if wish else 0
        if start > len(CONTENT):
            self.send_error(416)
            return
        if self.server.ignores_ranges:
            start = 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        self.wfile.write(CONTENT[start:][: self.server.cut])

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def fetched(server: Server, folder: Path, build_id: bytes = HOT) -> str:
    servers = servers_of(server.url, folder)
    return fetch(build_id.hex(), servers, time.monotonic() + 60)


def file_of(folder: Path) -> Path:
    return folder / ".build-id" / "ab" / f"{HOT.hex()[2:]}.debug"


def test_a_file_is_stored_by_build_id_and_not_requested_again(
    server: Server, tmp_path: Path
) -> None:
    assert fetched(server, tmp_path) == ""
    assert file_of(tmp_path).read_bytes() == CONTENT
    assert fetched(server, tmp_path) == ""
    assert len(server.requests) == 1


@pytest.mark.parametrize("ignores_ranges", [False, True])
def test_an_interrupted_download_is_resumed(
    server: Server, tmp_path: Path, ignores_ranges: bool
) -> None:
    server.cut = 300_000
    assert "closed early" in fetched(server, tmp_path)
    assert not file_of(tmp_path).exists()
    server.cut, server.ignores_ranges = None, ignores_ranges
    assert fetched(server, tmp_path) == ""
    assert file_of(tmp_path).read_bytes() == CONTENT
    assert server.requests[1][1] == "bytes=300000-"


def test_a_part_that_is_too_long_is_discarded(server: Server, tmp_path: Path) -> None:
    part = file_of(tmp_path).with_name(file_of(tmp_path).name + ".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * (len(CONTENT) + 1))
    assert "416" in fetched(server, tmp_path)
    assert fetched(server, tmp_path) == ""
    assert file_of(tmp_path).read_bytes() == CONTENT


def test_a_missing_file_and_a_missing_server_are_reported(server: Server, tmp_path: Path) -> None:
    assert fetched(server, tmp_path, RARE).endswith("HTTP status 404")
    closed = servers_of("http://127.0.0.1:1", tmp_path)
    assert "failed" in fetch(HOT.hex(), closed, time.monotonic() + 60)
    assert "time limit" in fetch(HOT.hex(), closed, time.monotonic())


@pytest.mark.parametrize("text", ["file:///etc", "ftp://host", "debian", "", "http://"])
def test_only_servers_by_http_are_accepted(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="debuginfod"):
        servers_of(text, tmp_path)


def mapped(path: bytes, build_id: bytes, *, kernel: bool = False) -> SimpleNamespace:
    return SimpleNamespace(path=path, build_id=build_id, kernel=kernel, pid=0, inode=0)


def capture_of(hot: int, rare: int) -> SimpleNamespace:
    """A capture with a stack of the hot program, and one with a rare library above it."""
    return SimpleNamespace(
        stack=np.repeat([0, 1], [hot, rare]),
        stack_offset=np.array([0, 1, 3]),
        stack_frame=np.array([0, 0, 1]),
        frame_object=np.array([1, 2]),
        objects=[
            mapped(b"[kernel]", b"\x01" * 20, kernel=True),
            mapped(b"/absent/hot", HOT),
            mapped(b"/absent/rare", RARE),
        ],
    )


def test_only_objects_with_at_least_one_percent_are_hot() -> None:
    assert [row.path for row in hot_objects(capture_of(995, 5))] == [b"/absent/hot"]
    assert len(hot_objects(capture_of(990, 10))) == 2


def test_files_of_hot_objects_become_a_debug_directory(server: Server, tmp_path: Path) -> None:
    servers = servers_of(server.url, tmp_path / "files")
    sources, warnings = add_debug_files(capture_of(990, 10), SymbolSources(), servers)
    assert sources.debug_directories[-1] == str(tmp_path / "files").encode()
    assert file_of(tmp_path / "files").read_bytes() == CONTENT
    (warning,) = warnings
    assert warning.message.startswith("/absent/rare: no debug file from debuginfod: 127.0.0.1:")
    assert [path for path, _ in server.requests] == [
        f"/buildid/{build_id.hex()}/debuginfo" for build_id in (HOT, RARE)
    ]
