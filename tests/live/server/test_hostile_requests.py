"""Broken and oversized requests: redis's error or a closed connection, without side effects."""

import random
from collections.abc import Iterator

import pytest

from tests.live.server.generated_requests import RequestGenerator
from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import RunningServer, stallscope_server
from tests.live.server.steady_client import SteadyClient, steady_client

pytestmark = pytest.mark.live
MIB = 1 << 20
LIMIT_BYTES = 4 * MIB
MAX_GROWTH_BYTES = 64 * MIB


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with stallscope_server("--max-request-bytes", str(LIMIT_BYTES)) as running:
        yield running


@pytest.fixture
def steady(server: RunningServer) -> Iterator[SteadyClient]:
    """A well-behaved client; the server's memory must not grow."""
    before = server.memory_bytes()
    with steady_client(server.port) as client:
        yield client
    assert server.memory_bytes() - before < MAX_GROWTH_BYTES


def mutated(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(changed))
        kind = draw.randrange(4)
        if kind == 0:
            changed[at] = draw.randrange(256)
        elif kind == 1:
            del changed[at : at + draw.randint(1, 9)]
        elif kind == 2:
            changed[at:at] = draw.choice([b"*", b"$", b"\r\n", b"-", b"99999999", b"\x00", b'"'])
        else:
            changed[at:at] = changed[: draw.randint(1, 40)]
        if not changed:
            return b"\r\n"
    return bytes(changed)


def whole_replies(data: bytes) -> int:
    """The number of replies in the bytes; the last one must be complete."""

    class Recorded(RawClient):
        def __init__(self) -> None:
            self._held = bytearray(data)

        def _receive(self) -> bool:
            return False

        def count(self) -> int:
            replies = 0
            while self._held:
                self.reply()
                replies += 1
            return replies

    return Recorded().count()


def test_fuzzed_requests(server: RunningServer, steady: SteadyClient) -> None:
    draw = random.Random(5)
    generator = RequestGenerator(seed=5)
    answered = 0
    for _ in range(300):
        requests = [generator.request()[1] for _ in range(8)]
        data = mutated(b"".join(r for r in requests if b"flush" not in r.lower()) or b"x", draw)
        with RawClient(server.port) as client:
            client.send(data)
            client.end_sending()
            answered += whole_replies(client.rest())
    assert answered > 300
    steady.answered(1)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"*1\r\n$%d\r\n" % (LIMIT_BYTES + 1), b"invalid bulk length"),
        (b"*1\r\n$9223372036854775807\r\n", b"invalid bulk length"),
        (b"*1\r\n$-5\r\n", b"invalid bulk length"),
        (b"*2147483647\r\n", b"invalid multibulk length"),
        (b"*1\r\n" * 50_000, b"expected '$', got '*'"),
        (b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n*1\r\n$1\r\nv\r\n", b"expected '$', got '*'"),
        (b"$3\r\nGET\r\n'", b"unbalanced quotes in request"),
    ],
    ids=["oversized", "largest", "negative", "words", "nested", "nested value", "inline"],
)
def test_impossible_lengths_are_rejected(
    server: RunningServer, steady: SteadyClient, data: bytes, error: bytes
) -> None:
    for _ in range(20):
        with RawClient(server.port) as client:
            client.try_send(data)
            client.try_send(b"\n")
            assert client.rest().endswith(b"-ERR Protocol error: " + error + b"\r\n")
    steady.answered(1)


def test_the_total_size_of_a_request_is_limited(
    server: RunningServer, steady: SteadyClient
) -> None:
    word = b"$1000000\r\n" + b"x" * 1_000_000 + b"\r\n"
    with RawClient(server.port) as client:
        client.try_send(b"*100\r\n" + word * 10)
        assert b"Protocol error" in client.rest()
    steady.answered(1)


def test_announced_bytes_use_no_memory(server: RunningServer, steady: SteadyClient) -> None:
    clients = [RawClient(server.port) for _ in range(100)]
    for client in clients:
        client.send(b"*2\r\n$4\r\nECHO\r\n$%d\r\nfirst bytes" % (LIMIT_BYTES - 100))
    steady.answered(5)
    assert server.memory_bytes() < 150 * MIB
    for client in clients:
        client.socket.close()


def test_a_large_request_within_the_limit_is_accepted(
    server: RunningServer, steady: SteadyClient
) -> None:
    value = bytes(range(256)) * (LIMIT_BYTES // 256 - 4)
    with RawClient(server.port) as client:
        assert client.ask("SET", "large", value) == b"+OK\r\n"
        assert client.ask("GET", "large") == b"$%d\r\n%b\r\n" % (len(value), value)
        assert client.ask("DEL", "large") == b":1\r\n"
    steady.answered(1)


def test_millions_of_words_are_rejected_or_limited(
    server: RunningServer, steady: SteadyClient
) -> None:
    """The reply to a request may be far larger than the request."""
    with RawClient(server.port) as client:
        assert client.ask("SET", "big", b"x" * MIB) == b"+OK\r\n"
        client.try_send(request("MGET", *["big"] * 2000))
        steady.answered(10)
        assert server.memory_bytes() < 600 * MIB
    with RawClient(server.port) as client:
        assert client.ask("DEL", "big") == b":1\r\n"
