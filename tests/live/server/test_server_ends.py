"""Start and end of the server: addresses, passwords, leftover files."""

import contextlib
import re
import socket
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import server_program, stallscope_server

pytestmark = pytest.mark.live


def refusal(*options: str, prefix: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit status and message of a server that cannot start."""
    command = [*prefix, server_program(), *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.stdout == ""
    message, *remedies = ended.stderr.splitlines()
    assert message.startswith("stallscope-server: error: ")
    assert remedies in ([], ["  remedy: see stallscope-server --help"])
    return ended.returncode, ended.stderr


def password_file(folder: Path, text: str = "secret\n", mode: int = 0o600) -> Path:
    path = folder / "password"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_version() -> None:
    out = subprocess.run(
        [server_program(), "--version"], capture_output=True, text=True, check=True
    )
    assert out.stdout.startswith("stallscope-server ")


def test_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with stallscope_server("--unix", str(path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with RawClient(path) as client:
            assert client.ask("PING") == b"+PONG\r\n"
        assert refusal("--port", "-1", "--unix", str(path))[0] == 2
    assert not path.exists()


def test_unix_socket_left_by_a_killed_server(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with stallscope_server("--unix", str(path)), RawClient(path) as client:
        assert client.ask("PING") == b"+PONG\r\n"


@pytest.mark.parametrize("kind", ["file", "link", "link to nothing"])
def test_unix_socket_does_not_replace(tmp_path: Path, kind: str) -> None:
    path, target = tmp_path / "socket", tmp_path / "precious"
    if kind == "file":
        path.write_text("precious")
    else:
        path.symlink_to(target)
    if kind == "link":
        target.write_text("precious")
    status, message = refusal("--port", "-1", "--unix", str(path))
    assert status == 2
    assert "is not a socket of this user" in message
    assert kind == "link to nothing" or path.read_text() == "precious"
    assert kind != "link to nothing" or not target.exists()


def test_beyond_loopback_needs_a_password(tmp_path: Path) -> None:
    status, message = refusal("--bind", "0.0.0.0", "--port", "0")
    assert status == 2
    assert "--password-file" in message
    with stallscope_server("--bind", "0.0.0.0", "--password-file", str(password_file(tmp_path))):
        pass


def test_password(tmp_path: Path) -> None:
    """Only AUTH and HELLO work without it, on every path; pipelined requests work after it."""
    options = ("--path", "codec", "--password-file", str(password_file(tmp_path)))
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        for words in (["GET", "k"], ["INFO"], ["FLUSHALL"]):
            assert client.ask(*words).startswith(b"-NOAUTH ")
        assert client.ask("CODEC", "abc").startswith(b"-ERR ")
        assert client.ask("AUTH", "wrong").startswith(b"-WRONGPASS ")
        client.send(request("AUTH", "secret") + request("CODEC", "abc") * 3)
        assert client.reply() == b"+OK\r\n"
        assert [client.reply()[:4] for _ in range(3)] == [b"$16\r"] * 3


@pytest.mark.parametrize("wrong", ["open", "empty", "link", "folder", "missing", "long"])
def test_unsafe_password_files_are_rejected(tmp_path: Path, wrong: str) -> None:
    text = {"empty": "\n", "long": "x" * 600}.get(wrong, "secret\n")
    path = password_file(tmp_path, text, 0o640 if wrong == "open" else 0o600)
    if wrong == "link":
        (tmp_path / "link").symlink_to(path)
        path = tmp_path / "link"
    if wrong == "folder":
        path = tmp_path
    if wrong == "missing":
        path = tmp_path / "none"
    status, message = refusal("--port", "0", "--password-file", str(path))
    assert status == (3 if wrong == "missing" else 2)
    assert str(path) in message


@pytest.mark.parametrize(
    "options",
    [
        ("--bind", "example.org"),
        ("--cpus", "x"),
        ("--port", "-1"),
        ("--path", "other"),
        ("--path", "codec", "--footprint-kb", "10", "--stage-kb", "13"),
        ("--max-batch", "0"),
        ("--maxmemory-policy", "allkeys-nothing"),
    ],
)
def test_usage(options: tuple[str, ...]) -> None:
    assert refusal(*options)[0] == 2


def test_port_in_use() -> None:
    with stallscope_server() as server:
        status, message = refusal("--port", str(server.port))
        assert status == 3
        assert f"127.0.0.1 port {server.port}" in message


def test_threads_that_the_system_refuses() -> None:
    """The address space holds the stacks of some threads, but not of all."""
    limit = ("prlimit", f"--as={200 * 2**20}")
    status, message = refusal("--port", "0", "--threads", "60", prefix=limit)
    assert status == 3
    assert re.search(r"cannot start thread [1-5]?[0-9] of 60: ", message)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_outstanding_replies_are_sent_at_the_end(threads: str) -> None:
    """Requests that arrived before SIGTERM are answered in order; then the server ends."""
    count = 2000
    with contextlib.ExitStack() as open_clients, ThreadPoolExecutor() as readers:
        with stallscope_server("--threads", threads) as server:
            clients = [open_clients.enter_context(RawClient(server.port)) for _ in range(4)]
            for client in clients:
                assert client.ask("SET", "k", "x" * 500) == b"+OK\r\n"
                client.send(request("GET", "k") * count)
                client.reply()
            rests = [readers.submit(read_to_the_end, client) for client in clients]
        whole = b"$500\r\n" + b"x" * 500 + b"\r\n"
        for rest in rests:
            assert rest.result() == whole * (len(rest.result()) // len(whole))


def read_to_the_end(client: RawClient) -> bytes:
    """All bytes until the end; the client then closes, which the server waits for."""
    with client:
        return client.rest()


def test_a_client_that_reads_nothing_is_closed() -> None:
    with stallscope_server("--stalled-s", "1") as server, RawClient(server.port) as client:
        client.ask("SET", "k", "x" * 100_000)
        client.send(request("GET", "k") * 200)
        with RawClient(server.port) as other:
            while b"client_cut_off_total:1\r" not in other.ask("INFO", "clients"):
                pass
            assert b"connected_clients:1\r" in other.ask("INFO", "clients")


def test_batches_are_logged(tmp_path: Path) -> None:
    log = tmp_path / "batches"
    with stallscope_server("--log-batches", str(log)) as server, RawClient(server.port) as client:
        client.send(request("PING") * 300)
        for _ in range(300):
            client.reply()
    lines = log.read_text().splitlines()
    assert lines[0] == "stallscope.batches/1 execute"
    assert sum(int(line.split()[1]) for line in lines[1:]) == 300
