"""The counters in INFO and in the Prometheus metrics match the requests sent."""

import socket
import urllib.error
import urllib.request
from http.client import HTTPResponse

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.live.server.raw_client import RawClient, request
from tests.live.server.server_process import RunningServer, stallscope_server

pytestmark = pytest.mark.live
REQUESTS = 200
Samples = dict[tuple[str, str], float]

BEHIND_THE_PATH = {"parse", "coordinate", "apply_local", "apply_remote", "range"}


def get(server: RunningServer, target: str = "/metrics") -> HTTPResponse:
    url = f"http://127.0.0.1:{server.metrics_port}{target}"
    response = urllib.request.urlopen(url, timeout=30)
    assert isinstance(response, HTTPResponse)
    return response


def samples(server: RunningServer) -> Samples:
    """Samples by name and stage; for histograms the count and the sum."""
    with get(server) as response:
        assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        text = response.read().decode()
    return {
        (sample.name.removeprefix("stallscope_"), sample.labels.get("stage", "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if "le" not in sample.labels
    }


def work(server: RunningServer, stage_path: bytes) -> None:
    with RawClient(server.port) as client:
        client.send(stage_path * REQUESTS + request("NOTHING"))
        for _ in range(REQUESTS):
            assert client.reply()[:1] in b"$+"
        assert client.reply()[:1] == b"-"


@pytest.mark.parametrize(
    ("path", "command", "stages"),
    [
        ("kv", request("SET", "k", "v"), ["execute"]),
        (
            "codec",
            request("CODEC", "abc"),
            ["codec_read", *(f"codec_synthetic_0{i}" for i in range(3)), "codec_reply", "execute"],
        ),
    ],
)
def test_counts(path: str, command: bytes, stages: list[str]) -> None:
    options = ("--path", path, "--footprint-kb", "39", "--metrics-port", "0")
    with stallscope_server(*options) as server:
        work(server, command)
        read = samples(server)
        assert read["requests_total", ""] == REQUESTS + 1
        assert read["errors_total", ""] == 1
        assert read["connections_total", ""] == 1
        assert read["process_cpu_seconds_total", ""] > 0
        assert read["process_cpu_seconds_per_request", ""] > 0
        for stage in stages:
            assert read["stage_calls_enqueued_total", stage] == REQUESTS + 1
            assert read["stage_calls_executed_total", stage] == REQUESTS + 1
            assert read["stage_batch_size_sum", stage] == REQUESTS + 1
            assert 1 <= read["stage_batch_size_count", stage] <= REQUESTS + 1
            assert read["stage_queue_delay_seconds_count", stage] == REQUESTS + 1
            assert read["stage_tasks_scheduled_total", stage] >= 1


def test_info() -> None:
    with stallscope_server("--stages", "on") as server, RawClient(server.port) as client:
        client.send(request("SET", "k", "v", "EX", "100") + request("GET", "k") * 99)
        for _ in range(100):
            client.reply()
        text = client.ask("INFO").decode()
        fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line[1:])
        assert fields["keyspace_hits"] == "99"
        assert fields["connected_clients"] == "1"
        assert fields["db0"].startswith("keys=1,expires=1,avg_ttl=")
        assert float(fields["used_cpu_user"]) + float(fields["used_cpu_sys"]) > 0
        stage = dict(part.split("=") for part in fields["stage_execute"].split(","))
        assert stage["enqueued"] == "101"
        assert int(stage["scheduled"]) >= 1
        assert set(stage) >= {"executed", "preempted", "batch_p50", "delay_p99_us"}
        assert 2 <= int(stage["batches"]) <= 101
        sections = [line for line in text.splitlines() if line.startswith("# ")]
        titles = ["Server", "Clients", "Memory", "Stats", "CPU", "Keyspace", "Stages"]
        assert sections == [f"# {title}" for title in titles]
        assert client.ask("INFO", "CPU").count(b"# ") == 1


@pytest.mark.parametrize("path", ["kv", "codec"])
def test_single_requests_are_batches_of_one(path: str) -> None:
    options = ("--path", path, "--footprint-kb", "39")
    with stallscope_server(*options) as server, RawClient(server.port) as client:
        for number in range(20):
            assert client.ask("SET", "k", str(number)) == b"+OK\r\n"
            assert client.ask("CODEC", "abc") if path == "codec" else True
        client.ask("EXEC")
        lines = client.ask("INFO", "stages").decode().splitlines()
        pairs = [line.removeprefix("stage_").split(":") for line in lines if "stage_" in line]
        stages = {name: dict(part.split("=") for part in text.split(",")) for name, text in pairs}
        assert stages.keys() > BEHIND_THE_PATH
        for stage in (stages[name] for name in stages.keys() - BEHIND_THE_PATH):
            expected = 22 if path == "kv" else 42
            assert int(stage["enqueued"]) == expected
            # The last request is running in the stage that answers it.
            assert expected - 1 <= int(stage["executed"]) == int(stage["batches"]) <= expected
            assert stage["scheduled"] == stage["preempted"] == "0"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET /other HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"405"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /metrics HTTP/1.1\r\nA: " + b"x" * 20_000, b"431"),
        (b"GET /metrics?x=1 HTTP/1.0\r\n\r\n", b"200"),
    ],
)
def test_other_requests(line: bytes, status: bytes) -> None:
    with stallscope_server("--metrics-port", "0") as server:
        assert server.metrics_port is not None
        with socket.create_connection(("127.0.0.1", server.metrics_port), timeout=30) as visitor:
            visitor.sendall(line)
            assert visitor.recv(12) == b"HTTP/1.1 " + status


def test_silent_http_clients() -> None:
    """They do not block commands, and leave no descriptor open."""
    with stallscope_server("--metrics-port", "0") as server, RawClient(server.port) as client:
        assert server.metrics_port is not None
        address = ("127.0.0.1", server.metrics_port)
        visitors = [socket.create_connection(address) for _ in range(40)]
        assert client.ask("PING") == b"+PONG\r\n"
        for visitor in visitors:
            visitor.close()
        with get(server) as response:
            assert response.status == 200
