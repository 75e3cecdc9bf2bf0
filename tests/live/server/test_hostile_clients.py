"""Clients that are slow, silent, half gone or suddenly dead: the others are answered all the while."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from tests.live.server.raw_client import PATIENCE_S, RawClient, request
from tests.live.server.server_process import RunningServer, need_cpus, stallscope_server
from tests.live.server.steady_client import SteadyClient, steady_client

pytestmark = pytest.mark.live
MIB = 1 << 20
IDLE_CLIENTS = 10_000
SPARE_DESCRIPTORS = 500
MAX_BYTES_PER_IDLE_CLIENT = 8192


@pytest.fixture(scope="module", params=[1, 2], ids=["one shard", "two shards"])
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    need_cpus(request.param)
    options = ("--threads", str(request.param), "--maxclients", str(IDLE_CLIENTS + 100))
    with stallscope_server(*options) as running:
        yield running


@pytest.fixture
def steady(server: RunningServer) -> Iterator[SteadyClient]:
    with steady_client(server.port) as client:
        yield client


@pytest.fixture
def many_descriptors() -> Iterator[int]:
    """The limit of descriptors of this process during the test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait for a condition that the server meets asynchronously."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_idle_connections(
    server: RunningServer, steady: SteadyClient, many_descriptors: int
) -> None:
    """10,000 connections, or the number that the descriptor limit allows."""
    count = min(IDLE_CLIENTS, many_descriptors - SPARE_DESCRIPTORS)
    before_bytes, before_descriptors = server.memory_bytes(), server.descriptors()
    with contextlib.ExitStack() as open_clients:
        idle = [open_clients.enter_context(RawClient(server.port)) for _ in range(count)]
        assert idle[-1].ask("PING") == b"+PONG\r\n"
        steady.answered(20)
        for client in idle[::100]:
            assert client.ask("PING") == b"+PONG\r\n"
        assert server.memory_bytes() - before_bytes < count * MAX_BYTES_PER_IDLE_CLIENT
    wait_until(
        lambda: server.descriptors() <= before_descriptors, "connections that ended are kept"
    )


def test_slow_writers(server: RunningServer, steady: SteadyClient) -> None:
    """Requests that many clients send byte by byte are all answered."""
    data = request("SET", "slow", "v") + b"get slow\r\n"
    with contextlib.ExitStack() as open_clients:
        clients = [open_clients.enter_context(RawClient(server.port)) for _ in range(50)]
        for at in range(len(data)):
            for client in clients:
                client.send(data[at : at + 1])
        for client in clients:
            assert client.reply() == b"+OK\r\n"
            assert client.reply() == b"$1\r\nv\r\n"
    steady.answered(1)


def test_a_reader_that_does_not_read(server: RunningServer, steady: SteadyClient) -> None:
    """Its requests wait instead of its replies, which use no memory; none is lost."""
    value = b"x" * (MIB // 4)
    count = 400
    with RawClient(server.port) as client:
        assert client.ask("SET", "large", value) == b"+OK\r\n"
        before = server.memory_bytes()
        client.send(request("GET", "large") * count)
        steady.answered(200)
        assert server.memory_bytes() - before < 64 * MIB
        expected = b"$%d\r\n%b\r\n" % (len(value), value)
        for _ in range(count):
            assert client.reply() == expected
        assert client.ask("DEL", "large") == b":1\r\n"


def test_requests_right_after_large_replies(server: RunningServer, steady: SteadyClient) -> None:
    """The socket has just accepted the last bytes when the next request arrives."""
    value = b"x" * MIB
    with RawClient(server.port) as client:
        assert client.ask("SET", "large", value) == b"+OK\r\n"
        for number in range(60):
            assert len(client.ask("GET", "large")) == MIB + len("$1048576\r\n\r\n")
            assert client.ask("ECHO", number) == b"$%d\r\n%d\r\n" % (len(str(number)), number)
        assert client.ask("DEL", "large") == b":1\r\n"


def test_large_replies_after_many_small_ones(server: RunningServer, steady: SteadyClient) -> None:
    """Their size cannot be predicted, and together they exceed the limit of unread replies."""
    value = b"x" * (MIB // 4)
    large, small = b"$%d\r\n%b\r\n" % (len(value), value), b"$1\r\ns\r\n"
    with RawClient(server.port) as client:
        assert client.ask("MSET", "large", value, "large too", value, "small", "s") == b"+OK\r\n"
        client.send(request("GET", "small") * 2000)
        client.send((request("GET", "large") + request("GET", "large too")) * 150)
        steady.answered(50)
        assert {client.reply() for _ in range(2000)} == {small}
        assert {client.reply() for _ in range(300)} == {large}
        assert client.ask("DEL", "large", "large too", "small") == b":3\r\n"


def test_readers_that_never_read_again(server: RunningServer, steady: SteadyClient) -> None:
    before = server.descriptors()
    with RawClient(server.port) as other:
        assert other.ask("SET", "large", b"x" * 100_000) == b"+OK\r\n"
        with contextlib.ExitStack() as open_clients:
            for _ in range(50):
                client = open_clients.enter_context(RawClient(server.port))
                client.send(request("GET", "large") * 400)
            steady.answered(20)
            assert server.memory_bytes() < 400 * MIB
        assert other.ask("DEL", "large") == b":1\r\n"
    wait_until(lambda: server.descriptors() <= before, "connections that ended are kept")


def test_half_closed_connections(server: RunningServer, steady: SteadyClient) -> None:
    """A client that shuts down its sending side gets its replies, then the end."""
    for count in (0, 1, 1000):
        with RawClient(server.port) as client:
            client.send(request("ECHO", "x" * 100) * count)
            client.send(b"*2\r\n$4\r\nECHO\r\n$5\r\nab")  # never completed
            client.end_sending()
            assert client.rest() == (b"$100\r\n" + b"x" * 100 + b"\r\n") * count
    steady.answered(1)


KILLED_IN_MID_REQUEST = """
import socket, sys
clients = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(20)]
for number, client in enumerate(clients):
    client.sendall(b"*1\\r\\n$4\\r\\nPING\\r\\n" * 100 * number)
    client.sendall(b"*3\\r\\n$3\\r\\nSET\\r\\n$6\\r\\nkilled\\r\\n$100000\\r\\n" + b"x" * 5000 * number)
print("ready", flush=True)
sys.stdin.read()
"""


def test_clients_killed_in_mid_request(server: RunningServer, steady: SteadyClient) -> None:
    before = server.descriptors()
    command = [sys.executable, "-I", "-S", "-c", KILLED_IN_MID_REQUEST, str(server.port)]
    clients = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    try:
        for client in clients:
            assert client.stdout is not None
            assert client.stdout.readline() == b"ready\n"
        steady.answered(5)
    finally:
        for client in clients:
            os.kill(client.pid, signal.SIGKILL)
            client.communicate()
    wait_until(lambda: server.descriptors() <= before, "connections of dead clients are kept")
    with RawClient(server.port) as asking:
        assert asking.ask("EXISTS", "killed") == b":0\r\n"


def test_clients_that_reset_the_connection(server: RunningServer, steady: SteadyClient) -> None:
    before = server.descriptors()
    for _ in range(50):
        client = RawClient(server.port)
        client.send(request("ECHO", "x" * 1000) * 50)
        client.reset()
    wait_until(lambda: server.descriptors() <= before, "connections that were reset are kept")
    steady.answered(1)
