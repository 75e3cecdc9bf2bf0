"""Unmodified redis clients work: redis-cli, redis-benchmark, redis-py."""

import csv
import io
import shutil
import subprocess
from collections.abc import Iterator

import pytest
import redis

from tests.live.server.server_process import RunningServer, stallscope_server

pytestmark = pytest.mark.live
MODES = {
    "stages": ("--stages", "on"),
    "no stages, eager": ("--stages", "off", "--write", "eager"),
    "two shards": ("--threads", "2"),
}


@pytest.fixture(scope="module", params=MODES.values(), ids=MODES.keys())
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with stallscope_server(*request.param) as running:
        yield running


def run_client(name: str, *words: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"needs the program {name}")
    return subprocess.run(
        [name, *words], capture_output=True, text=True, timeout=60, check=True
    ).stdout


def test_redis_cli(server: RunningServer) -> None:
    def cli(*words: str) -> str:
        return run_client("redis-cli", "-p", str(server.port), *words)

    assert cli("SET", "cli", "a value", "EX", "100") == "OK\n"
    assert cli("GET", "cli") == "a value\n"
    assert 90 < int(cli("TTL", "cli")) <= 100
    assert cli("-3", "HELLO", "3").startswith("server stallscope\n")
    assert cli("--json", "MGET", "cli", "none") == '["a value",null]\n'
    assert "# Stages\n" in cli("INFO", "stages").replace("\r", "")
    assert cli("DEL", "cli") == "1\n"


@pytest.mark.parametrize("pipeline", ["1", "16"])
def test_redis_benchmark(server: RunningServer, pipeline: str) -> None:
    words = ["-n", "4000", "-c", "20", "-P", pipeline, "-r", "1000", "--csv"]
    tests = "ping,set,get,incr,mset"
    out = run_client("redis-benchmark", "-p", str(server.port), "-t", tests, *words)
    rows = list(csv.DictReader(io.StringIO(out)))
    names = ["PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)"]
    assert [row["test"] for row in rows] == names
    assert all(float(row["rps"]) > 0 for row in rows)


@pytest.mark.parametrize("protocol", [2, 3])
def test_redis_py(server: RunningServer, protocol: int) -> None:
    with redis.Redis(port=server.port, protocol=protocol, decode_responses=True) as client:
        client.flushall()
        assert client.set("a", "1", px=100_000)
        assert client.set("a", "2", nx=True) is None
        assert client.incr("a", 41) == 42
        assert client.mset({f"k{i}": i for i in range(20)})
        assert client.mget([f"k{i}" for i in range(21)]) == [*map(str, range(20)), None]
        assert client.exists("a", "k1", "none") == 2
        assert client.dbsize() == 21
        assert 0 < client.pttl("a") <= 100_000
        assert client.client_setname("tester")
        assert "tester" in {known["name"] for known in client.client_list()}
        assert client.config_get("maxmemory") == {"maxmemory": "0"}
        assert client.info("keyspace")["db0"]["keys"] == 21
        client.set("text", "x")
        with pytest.raises(redis.ResponseError, match="not an integer"):
            client.incr("text")
        with pytest.raises(redis.ResponseError, match="unknown command"):
            client.execute_command("NOTHING")


def test_redis_py_pipeline(server: RunningServer) -> None:
    """Replies arrive in the order of the requests, whichever shard has the keys."""
    with redis.Redis(port=server.port, decode_responses=True) as client:
        client.flushall()
        with client.pipeline(transaction=False) as pipeline:
            for i in range(500):
                pipeline.set(f"key{i}", i)
                pipeline.echo(f"echo{i}")
                pipeline.get(f"key{i}")
                pipeline.mget(f"key{i}", f"key{i - 1}")
            replies = pipeline.execute()
        for i in range(500):
            before = str(i - 1) if i else None
            assert replies[4 * i : 4 * i + 4] == [True, f"echo{i}", str(i), [str(i), before]]
