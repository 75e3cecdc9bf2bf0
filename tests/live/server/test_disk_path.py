"""The path `disk`: values survive any end of the server, and a full disk is an error."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import (
    RunningServer,
    need_cpus,
    server_program,
    stallscope_server,
)

pytestmark = pytest.mark.live
SMALL_SEGMENTS = ("--segment-bytes", "1M")
MIB = 1 << 20


def disk(folder: Path, *options: str) -> tuple[str, ...]:
    return ("--path", "disk", "--data", str(folder), *options)


@contextmanager
def killed_server(*options: str) -> Iterator[RunningServer]:
    """stallscope-server until it is killed at the end of the block."""
    process = subprocess.Popen(
        [server_program(), "--port", "0", "--die-with-parent", *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield RunningServer(process, json.loads(process.stdout.readline())["port"])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def fill(client: RawClient, values: dict[str, bytes]) -> None:
    """Set the values in batches; each is acknowledged before the next one is sent."""
    pending = 0
    for key, value in values.items():
        client.send(request("SET", key, value))
        pending += 1
        if pending == 500 or len(value) > 10_000:
            assert all(client.reply() == b"+OK\r\n" for _ in range(pending))
            pending = 0
    assert all(client.reply() == b"+OK\r\n" for _ in range(pending))


def check(client: RawClient, values: dict[str, bytes]) -> None:
    for key, value in values.items():
        assert client.ask("GET", key) == b"$%d\r\n%b\r\n" % (len(value), value), key
    assert client.ask("DBSIZE") == b":%d\r\n" % len(values)


def refusal(*options: str) -> str:
    ended = subprocess.run(
        [server_program(), *options], capture_output=True, text=True, timeout=30, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    return ended.stderr


def sized_values() -> dict[str, bytes]:
    chosen = random.Random(1)
    sizes = [0, 1, 4000, 4096, 5000, 65_536, 300_000, MIB - 200, MIB]
    return {f"value:{size}": chosen.randbytes(size) for size in sizes}


@pytest.mark.parametrize("sync", ["none", "each-batch"])
def test_values_survive_a_kill_and_a_restart(tmp_path: Path, sync: str) -> None:
    options = disk(tmp_path / "data", "--sync", sync)
    values = sized_values()
    with killed_server(*options) as server, RawClient(server.port) as client:
        fill(client, values)
        client.send(request("SET", "unanswered", b"x" * 100_000))
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        client.ask("DEL", "unanswered")
        check(client, values)
        assert client.ask("DEL", "value:1", "value:5000") == b":2\r\n"
    del values["value:1"], values["value:5000"]
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        check(client, values)


def test_many_keys_on_two_shards(tmp_path: Path) -> None:
    need_cpus(2)
    options = disk(tmp_path / "data", "--threads", "2", *SMALL_SEGMENTS)
    values = {f"key:{number}": b"value %d" % number * 5 for number in range(20_000)}
    with killed_server(*options) as server, RawClient(server.port) as client:
        fill(client, values)
        overwritten = dict.fromkeys(list(values)[::3], b"again")
        fill(client, overwritten)
        assert client.ask("COMPACT") == b"+OK\r\n"
        values |= overwritten
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        some = dict(list(values.items())[::10])
        client.send(request("MGET", *some))
        assert client.reply() == b"*%d\r\n" % len(some) + b"".join(
            b"$%d\r\n%b\r\n" % (len(value), value) for value in some.values()
        )
        assert client.ask("DBSIZE") == b":20000\r\n"
    assert "use the same number" in refusal("--port", "0", *disk(tmp_path / "data"))


def test_compaction_frees_overwritten_values(tmp_path: Path) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS, "--disk-limit", "2")
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        values = {f"key:{number}": b"x" * 9000 for number in range(100)}
        for _ in range(6):
            fill(client, values)
        assert client.ask("COMPACT") == b"+OK\r\n"
        assert client.ask("BGREWRITEAOF").startswith(b"+Background")
        check(client, values)
        info = client.disk_info()
        assert int(info["disk_log_bytes"]) < 3 * MIB
        assert int(info["disk_compaction_segments_removed"]) >= 4
        assert info["disk_limit"] == "2"
        assert client.ask("FLUSHALL") == b"+OK\r\n"
        assert client.ask("GET", "key:1") == b"$-1\r\n"
    assert sum(file.stat().st_size for file in (tmp_path / "data").iterdir()) < MIB


def test_counters_of_the_two_classes(tmp_path: Path) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        fill(client, {"a": b"1", "b": b"2"})
        for _ in range(10):
            client.ask("GET", "a")
        client.ask("COMPACT")
        info = client.disk_info()
        queries = dict(pair.split("=") for pair in info["disk_class_queries"].split(","))
        compaction = dict(pair.split("=") for pair in info["disk_class_compaction"].split(","))
        assert int(queries["reads"]) == 10
        assert 1 <= int(queries["writes"]) <= 2
        assert int(compaction["reads"]) == 1
        assert int(compaction["writes"]) == 1
        assert queries["failed"] == compaction["failed"] == "0"
        assert int(queries["executing_ns"]) > 0
        assert int(compaction["executing_ns"]) > 0
        assert info["disk_shares"] == "queries=1000,compaction=100"


def test_an_unfinished_tail_is_reported_and_truncated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    with killed_server(*options) as server, RawClient(server.port) as client:
        fill(client, {"a": b"1", "b": b"2"})
    (segment,) = (tmp_path / "data").iterdir()
    whole = segment.read_bytes().rstrip(b"\0")
    segment.write_bytes(whole + b"\0" * (-len(whole) % 4096) + os.urandom(700))
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        check(client, {"a": b"1", "b": b"2"})
        assert client.disk_info()["disk_cut_bytes"] == "700"
    message = capfd.readouterr().err
    assert message.startswith(f"stallscope-server: {segment.name}: cut off behind offset ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("compacted", [False, True])
def test_a_damaged_end_of_a_closed_file_is_reported_and_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], compacted: bool
) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    values = {"first": b"f" * 5000, "last": b"l" * 5000}
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        fill(client, values)
        assert not compacted or client.ask("COMPACT") == b"+OK\r\n"
    (segment,) = (tmp_path / "data").iterdir()
    sound = segment.read_bytes()
    at = sound.rindex(b"ll")
    damaged = sound[:at] + b"L" + sound[at + 1 :]
    segment.write_bytes(damaged)
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        assert client.ask("GET", "last") == b"$-1\r\n"
        assert client.ask("STRLEN", "first") == b":5000\r\n"
        info = client.disk_info()
        assert info["disk_cut_bytes"] == "0"
        assert int(info["disk_damaged_bytes"]) >= 5000
        assert client.ask("COMPACT") == b"+OK\r\n"
    message = capfd.readouterr().err
    assert message.startswith(f"stallscope-server: {segment.name}: ")
    assert "are damaged: their records are lost" in message
    assert "replace it with an intact copy" in message
    assert segment.read_bytes() == damaged
    segment.write_bytes(sound)
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        check(client, values)
    assert capfd.readouterr().err == ""


def test_a_file_under_another_name_is_refused(tmp_path: Path) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        fill(client, {"a": b"1"})
    (segment,) = (tmp_path / "data").iterdir()
    other = segment.rename(segment.with_name("shard-000-0000000007.log"))
    message = refusal("--port", "0", *options)
    assert f"holds {other.name}, which was written as {segment.name}: rename it back" in message


def test_a_damaged_value_is_an_error_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        fill(client, {"bad": b"b" * 5000, "good": b"g" * 5000})
        (segment,) = (tmp_path / "data").iterdir()
        at = segment.read_bytes().index(b"bbbb")
        with segment.open("r+b") as bytes_of:
            bytes_of.seek(at)
            bytes_of.write(b"B")
            os.fsync(bytes_of.fileno())
        assert client.ask("GET", "bad").startswith(b"-ERR the value is damaged on the disk, in ")
        assert client.ask("STRLEN", "good") == b":5000\r\n"
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        assert client.ask("GET", "bad") == b"$-1\r\n"
        assert client.ask("STRLEN", "good") == b":5000\r\n"
    assert "are damaged: their records are lost" in capfd.readouterr().err


def test_a_full_disk_is_an_error_and_deletions_make_room(tmp_path: Path) -> None:
    own_mounts = ["unshare", "--mount", "true"]
    if shutil.which("unshare") is None or subprocess.run(own_mounts, check=False).returncode != 0:
        pytest.skip("needs root: a small filesystem is mounted, in a private namespace")
    mount = f'mount -t tmpfs -o size=12m,mode=700 small {tmp_path} && exec "$@"'
    prefix = ("unshare", "--mount", "sh", "-c", mount, "sh")
    options = disk(tmp_path / "data", *SMALL_SEGMENTS)
    with stallscope_server(*options, prefix=prefix) as server, RawClient(server.port) as client:
        written = []
        for number in range(200):
            reply = client.ask("SET", f"key:{number}", b"x" * 100_000)
            if reply != b"+OK\r\n":
                break
            written.append(f"key:{number}")
        assert reply == b"-MISCONF Errors writing to the log: No space left on device\r\n"
        assert 60 < len(written) < 120
        assert client.ask("STRLEN", written[0]) == b":100000\r\n"
        assert client.ask("SET", "another", b"x" * 100_000).startswith(b"-MISCONF ")
        assert client.ask("DEL", *written[10:]) == b":%d\r\n" % (len(written) - 10)
        assert client.ask("COMPACT") == b"+OK\r\n"
        assert client.ask("SET", "another", b"x" * 100_000) == b"+OK\r\n"
        check(client, dict.fromkeys([*written[:10], "another"], b"x" * 100000))


def test_values_without_a_directory_leave_nothing_behind(tmp_path: Path) -> None:
    place = ("env", f"TMPDIR={tmp_path}")
    with (
        stallscope_server("--path", "disk", prefix=place) as server,
        RawClient(server.port) as client,
    ):
        values = sized_values()
        fill(client, values)
        assert client.ask("COMPACT") == b"+OK\r\n"
        check(client, values)
        assert list(tmp_path.iterdir()) == []


def test_the_index_is_bounded(tmp_path: Path) -> None:
    options = disk(tmp_path / "data", "--maxmemory", "64K")
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        client.send(b"".join(request("SET", f"key:{number}", b"v") for number in range(2000)))
        replies = [client.reply() for _ in range(2000)]
        assert replies[0] == b"+OK\r\n"
        assert replies[-1].startswith(b"-OOM ")
        assert client.ask("GET", "key:0") == b"$1\r\nv\r\n"


def test_refused_directories_and_options(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert "a symbolic link" in refusal(*disk(tmp_path / "link"))
    assert "--data requires --path disk" in refusal("--data", str(tmp_path))
    assert "is not a number" in refusal("--path", "disk", "--disk-limit", "0")
    assert "is invalid" in refusal("--path", "disk", "--disk-shares", "writes=1")
    assert "does not evict" in refusal("--path", "disk", "--maxmemory-policy", "allkeys-lru")
    with stallscope_server(*disk(tmp_path / "used")):
        assert "in use by another server" in refusal("--port", "0", *disk(tmp_path / "used"))


def test_no_log_to_compact() -> None:
    with stallscope_server() as server, RawClient(server.port) as client:
        assert b"--path disk" in client.ask("COMPACT")
        assert "disk_" not in client.ask("INFO").decode()
