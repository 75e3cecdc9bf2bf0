"""Exhausted descriptors, clients or memory: connected clients stay connected, and others recover."""

import contextlib
import hmac
import resource
from collections.abc import Iterator

import pytest

from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import need_cpus, stallscope_server
from tests.live.server.steady_client import steady_client

pytestmark = pytest.mark.live
MIB = 1 << 20
TOO_MANY = b"-ERR max number of clients reached\r\n"
OUT_OF_MEMORY = b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"


@contextlib.contextmanager
def many_clients(port: int, count: int) -> Iterator[tuple[list[RawClient], list[bytes]]]:
    """The connected clients, and the replies to the rejected ones."""
    served, rejections = [], []
    with contextlib.ExitStack() as open_clients:
        for _ in range(count):
            client = open_clients.enter_context(RawClient(port))
            client.try_send(request("PING"))
            try:
                reply = client.reply()
            except OSError:
                reply = b""
            if reply == b"+PONG\r\n":
                served.append(client)
            else:
                rejections.append(reply)
        yield served, rejections


def keys_by_shard(client: RawClient) -> tuple[list[str], list[str]]:
    """Set keys of 600 bytes; those of the client's own shard, and those of the other."""
    here: list[str] = []
    there: list[str] = []
    crossed = 0
    for number in range(64):
        assert client.ask("SET", f"k{number}", "v" * 600) == b"+OK\r\n"
        info = dict(
            line.split(b":") for line in client.ask("INFO", "stats").splitlines() if b":" in line
        )
        before, crossed = crossed, int(info[b"total_cross_shard_parts"])
        (here if crossed == before else there).append(f"k{number}")
    return here, there


def test_more_clients_than_allowed() -> None:
    with stallscope_server("--maxclients", "20") as server, steady_client(server.port) as steady:
        with many_clients(server.port, 60) as (served, rejections):
            assert len(served) == 19
            assert set(rejections) <= {TOO_MANY, b""}
            assert TOO_MANY in rejections
            assert served[-1].ask("PING") == b"+PONG\r\n"
            steady.answered(5)
        with many_clients(server.port, 5) as (_, rejections):
            steady.answered(5)


def test_no_descriptors_left() -> None:
    """The limit falls while the server runs, so that it cannot have prepared for it."""
    with stallscope_server() as server, steady_client(server.port) as steady:
        _, most = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        allowed = server.descriptors() + 20
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (allowed, most))
        with contextlib.ExitStack() as waiting, many_clients(server.port, 15) as (served, _):
            assert len(served) == 15
            for _ in range(30):
                waiting.enter_context(RawClient(server.port)).send(request("PING"))
            steady.answered(20)
            assert server.descriptors() <= allowed
            assert served[-1].ask("PING") == b"+PONG\r\n"
        with RawClient(server.port) as client:
            assert client.ask("PING") == b"+PONG\r\n"


@pytest.mark.parametrize("stages", ["on", "off"])
def test_replies_of_several_shards_beyond_the_limit(stages: str) -> None:
    """Too long in one shard's part, or only in total: only this client is closed."""
    need_cpus(2)
    options = ("--threads", "2", "--max-output-bytes", "4096", "--stages", stages)
    with stallscope_server(*options) as server:
        with RawClient(server.port) as client:
            here, there = keys_by_shard(client)
        with steady_client(server.port) as steady:
            for keys in ((*there[:7], here[0]), (*here[:7], there[0]), (*here[:4], *there[:4])):
                for _ in range(2):  # one per shard
                    with RawClient(server.port) as client:
                        client.send(request("MGET", *keys))
                        with pytest.raises(ConnectionError):
                            client.reply()
                steady.answered(5)
            for _ in range(2):
                with RawClient(server.port) as client:
                    for key in (*here, *there):
                        assert len(client.ask("GET", key)) == 608
                    assert b"client_cut_off_total:6\r\n" in client.ask("INFO", "clients")


def test_a_paths_reply_beyond_the_limit() -> None:
    options = ("--path", "query", "--max-output-bytes", "1024")
    with stallscope_server(*options) as server, steady_client(server.port) as steady:
        for _ in range(3):
            with RawClient(server.port) as client:
                client.send(
                    query('{"from":"items","id":1,"select":["id"],"tag":"%s"}' % ("t" * 2000))
                )
                with pytest.raises(ConnectionError):
                    client.reply()
            with RawClient(server.port) as client:
                client.send(query('{"from":"items","id":1,"select":["id"],"tag":1}'))
                assert client.reply() == b'$24\r\n{"tag":1,"row":{"id":1}}\r\n'
        steady.answered(5)


def query(text: str) -> bytes:
    mac = hmac.new(b"stallscope reference query", text.encode(), "sha256").hexdigest()
    return request("QUERY", mac, text)


@pytest.mark.parametrize("stages", ["on", "off"])
def test_refused_memory(stages: str) -> None:
    """Buffers and values that exceed the address space affect only their client."""
    limit = ("prlimit", f"--as={80 * MIB}")
    options = ("--stages", stages, "--max-request-bytes", "512M", "--max-buffered-bytes", "4G")
    with (
        stallscope_server(*options, prefix=limit) as server,
        steady_client(server.port) as steady,
    ):
        with RawClient(server.port) as client:
            client.try_send(request("SET", "large", b"x" * (80 * MIB)))
            assert client.rest() == b""
        steady.answered(5)
        replies = [set_and_close(server.port, f"k{number}", b"x" * 8 * MIB) for number in range(9)]
        assert replies[0] == b"+OK\r\n"
        assert replies[-1] != b"+OK\r\n"
        # There is no memory for its value, or for the buffer that would read it.
        assert set(replies) <= {b"+OK\r\n", b"-OOM the system has no memory for this\r\n", b""}
        steady.answered(5)
        with RawClient(server.port) as client:
            kept = replies.count(b"+OK\r\n")
            assert client.ask("DEL", *[f"k{number}" for number in range(9)]) == b":%d\r\n" % kept
            assert client.ask("SET", "again", b"x" * 8 * MIB) == b"+OK\r\n"


def set_and_close(port: int, key: str, value: bytes) -> bytes:
    """All replies to a client that sets one key; empty if it is closed before."""
    with RawClient(port) as client:
        client.try_send(request("SET", key, value) + request("QUIT"))
        return client.rest().removesuffix(b"+OK\r\n")


def test_memory_without_eviction() -> None:
    """Writes get redis's error; reads and deletions work."""
    options = ("--maxmemory", str(8 * MIB), "--maxmemory-policy", "noeviction")
    with stallscope_server(*options) as server, steady_client(server.port) as steady:
        before = server.memory_bytes()
        with RawClient(server.port) as client:
            replies = set()
            for batch in range(40):
                sets = [request("SET", f"{batch}:{at}", b"x" * 1000) for at in range(500)]
                client.send(b"".join(sets))
                replies.update(client.reply() for _ in sets)
            assert replies == {b"+OK\r\n", OUT_OF_MEMORY}
            assert server.memory_bytes() - before < 24 * MIB
            assert client.ask("GET", "0:0") == b"$1000\r\n" + b"x" * 1000 + b"\r\n"
            assert client.ask("DEL", *[f"0:{at}" for at in range(500)]) == b":500\r\n"
            assert client.ask("SET", "again", "v") == b"+OK\r\n"
            steady.answered(5)


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-random"])
def test_memory_with_eviction(policy: str) -> None:
    """Every write succeeds, and memory stays constant."""
    options = ("--maxmemory", str(8 * MIB), "--maxmemory-policy", policy)
    with stallscope_server(*options) as server, steady_client(server.port, evicts=True) as steady:
        before = server.memory_bytes()
        with RawClient(server.port) as client:
            for batch in range(40):
                sets = [request("SET", f"{batch}:{at}", b"x" * 1000) for at in range(500)]
                client.send(b"".join(sets))
                assert {client.reply() for _ in sets} == {b"+OK\r\n"}
                assert client.ask("GET", f"{batch}:499") != b"$-1\r\n"
                steady.answered(1)
            left = int(client.ask("DBSIZE")[1:])
            assert 1000 < left < 8500
            assert server.memory_bytes() - before < 24 * MIB
