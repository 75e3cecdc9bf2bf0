"""redis-server and stallscope-server send the same bytes in reply to the same requests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.server.generated_requests import RequestGenerator, Words
from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import need_cpus, redis_server, stallscope_server

pytestmark = pytest.mark.live
REQUESTS = 6000
MAX_IN_FLIGHT = 40
# Replies with a time may differ by the time between two requests.
TELL_TIME = {"TTL": 1, "PTTL": 5000}


@pytest.fixture(scope="module")
def redis_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address


SERVERS = {
    "one shard": ("--threads", "1"),
    "two shards": ("--threads", "2"),
    "two shards on a disk": ("--threads", "2", "--path", "disk"),
}


@pytest.fixture(scope="module", params=SERVERS.values(), ids=SERVERS.keys())
def our_port(request: pytest.FixtureRequest) -> Iterator[int]:
    need_cpus(int(request.param[1]))
    with stallscope_server(*request.param) as server:
        yield server.port


def alike(words: Words, ours: bytes, theirs: bytes) -> bool:
    name = str(words[0]).upper()
    if name in TELL_TIME and ours[:1] == theirs[:1] == b":":
        return abs(int(ours[1:]) - int(theirs[1:])) <= TELL_TIME[name]
    return ours == theirs


def hello(client: RawClient, version: int) -> None:
    """Switch both servers to the same protocol version; the replies name the server."""
    client.ask("FLUSHALL")
    assert b"proto\r\n:%d\r\n" % version in client.ask("HELLO", version)


@pytest.mark.parametrize("version", [2, 3])
def test_generated_requests(our_port: int, redis_address: Path, version: int) -> None:
    generator = RequestGenerator(seed=version)
    sent = 0
    with RawClient(our_port) as ours, RawClient(redis_address) as theirs:
        for client in (ours, theirs):
            hello(client, version)
        while sent < REQUESTS:
            requests = [generator.request() for _ in range(1 + sent % MAX_IN_FLIGHT)]
            sent += len(requests)
            for client in (ours, theirs):
                client.send(b"".join(data for _, data in requests))
            for words, _ in requests:
                our_reply, their_reply = ours.reply(), theirs.reply()
                assert alike(words, our_reply, their_reply), (words, our_reply, their_reply)


PROTOCOL_ERRORS = [
    b"*x\r\n",
    b"*2147483648\r\n",
    b"*9223372036854775808\r\n",
    b"*1\r\n$-1\r\n",
    b"*1\r\n$-9223372036854775808\r\n",
    b"*1\r\n$536870913\r\n",
    b"*1\r\n$99999999999999999999\r\n",
    b"*1\r\n$x\r\n",
    b"*1\r\n:1\r\n",
    b"*1\r\n*1\r\n*1\r\n$1\r\nx\r\n",
    b"*1\r\n\r\n",
    b"*2\r\n$3\r\nGET\r\nk\r\n",
    b'"unbalanced\r\n',
    b"'a'b\r\n",
    b"*" + b"1" * 70_000,
    b"*1\r\n$" + b"1" * 70_000,
    b"x" * 70_000,
]


@pytest.mark.parametrize("wrong", PROTOCOL_ERRORS, ids=lambda wrong: repr(wrong[:24]))
def test_malformed_requests(our_port: int, redis_address: Path, wrong: bytes) -> None:
    """Earlier requests are answered, then comes the error, then the connection is closed."""
    replies = []
    for address in (our_port, redis_address):
        with RawClient(address) as client:
            client.send(request("PING") + wrong)
            replies.append(client.rest())
    assert replies[0] == replies[1]
    assert replies[0].startswith(b"+PONG\r\n-ERR Protocol error: ")


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\n*0\r\n*-1\r\nPING\r\n",
        b"  PING  \t hello\r\n",
        b'SET "a\\x20b" \'c\\\'d\'\nGET "a b"\n',
        b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n",
        b"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n",
        b"RESET\r\nRESET x\r\nGET nothing\r\n",
        b"QUIT\r\nPING\r\n",
        b"quit now\r\n",
        b"COMMAND INFO nosuch\r\n",
    ],
)
def test_odd_but_valid(our_port: int, redis_address: Path, data: bytes) -> None:
    replies = []
    for address in (our_port, redis_address):
        with RawClient(address) as client:
            client.send(data + request("QUIT"))
            replies.append(client.rest())
    assert replies[0] == replies[1]
