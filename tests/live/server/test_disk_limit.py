"""The limit of requests on the disk applies to all threads; reads of lost clients are cancelled."""

import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import server_program, stallscope_server

pytestmark = pytest.mark.live
RATES = "read_iops=90000,read_bandwidth=500000000,write_iops=50000,write_bandwidth=400000000"
KEYS = 400
PATIENCE_S = 20


def on_disk(folder: Path, *options: str) -> tuple[str, ...]:
    """Options of a server whose threads share the CPUs of this machine."""
    return ("--path", "disk", "--data", str(folder), "--segment-bytes", "1M", *options)


def fill(client: RawClient) -> None:
    for number in range(KEYS):
        client.send(request("SET", f"key:{number}", b"x" * 4000))
    assert all(client.reply() == b"+OK\r\n" for _ in range(KEYS))


def send_reads(connection: RawClient | socket.socket) -> None:
    words = b"".join(request("STRLEN", f"key:{number}") for number in range(KEYS))
    if isinstance(connection, RawClient):
        connection.send(words)
    else:
        connection.sendall(words)


@pytest.mark.parametrize("rates", [(), ("--disk-rates", RATES)])
def test_four_threads_keep_the_limit_of_the_process(tmp_path: Path, rates: tuple[str, ...]) -> None:
    options = on_disk(tmp_path / "data", "--threads", "4", "--disk-limit", "6", *rates)
    with (
        stallscope_server(*options) as server,
        RawClient(server.port) as client,
        ExitStack() as others,
    ):
        fill(client)
        readers = [others.enter_context(RawClient(server.port)) for _ in range(4)]
        client.send(request("BGREWRITEAOF"))
        for reader in readers:
            send_reads(reader)
        for reader in readers:
            assert all(reader.reply() == b":4000\r\n" for _ in range(KEYS))
        assert client.reply().startswith(b"+Background")
        info = client.disk_info()
    assert info["disk_limit"] == "6"
    if rates:  # 4 KiB are cheaper than the largest requests, which the limit counts
        assert int(info["disk_max_in_flight"]) >= 4
    else:
        assert 4 <= int(info["disk_max_in_flight"]) <= 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--disk-limit", "3", "--threads", "4"), "each of the 4 threads needs at least 1"),
        (("--disk-rates", "read_iops=1"), "read_bandwidth"),
        (("--disk-rates", "reads=1"), "'reads=1' is invalid"),
        (("--disk-rates", "read_iops=-1"), "not a number"),
    ],
)
def test_an_impossible_limit_or_rate_is_refused(words: tuple[str, ...], message: str) -> None:
    ended = subprocess.run(
        [server_program(), "--port", "0", "--path", "disk", *words],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert message in ended.stderr


def test_reads_of_a_disconnected_client_are_cancelled_and_counted(tmp_path: Path) -> None:
    address = tmp_path / "socket"
    options = on_disk(tmp_path / "data", "--disk-limit", "1", "--unix", str(address))
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        fill(client)
        end_s = time.monotonic() + PATIENCE_S
        cancelled = 0
        while not cancelled and time.monotonic() < end_s:  # a fast disk may answer in time
            for _ in range(8):
                with socket.socket(socket.AF_UNIX) as lost:
                    lost.connect(str(address))
                    send_reads(lost)
            cancelled = int(client.disk_info()["disk_cancelled_reads"])
        assert cancelled > 0
        assert client.ask("STRLEN", "key:7") == b":4000\r\n"
        assert "queued=0,executing=0" in client.disk_info()["disk_class_queries"]
