"""The reference server as a child process: readiness, INFO, end."""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.serve.session import serve
from harness.workload.options import ServerOptions
from harness.workload.process import decode_line
from harness.workload.results import LoadSecond
from harness.workload.server import process_cpu_s, running_server
from harness.workload.server_queries import (
    StageCounts,
    average_batch,
    commands_processed,
    info,
    stage_counts,
)
from stallscope.errors import TargetError, UnableError, UsageError
from tests.harness.workload.fake_programs import install

READY = """
print(json.dumps({"event": "ready", "pid": os.getpid(), "port": 7400, "unix": None,
                  "metrics_port": 9100, "threads": [{"tid": 7, "cpu": 1}, {"tid": 8, "cpu": None}]}),
      flush=True)
"""


def test_a_ready_server_has_a_target_and_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "stallscope-server", READY + "time.sleep(60)", monkeypatch)
    with running_server(ServerOptions()) as server:
        assert server.target == "127.0.0.1:7400"
        assert [thread.cpu for thread in server.threads] == [1, None]
        assert process_cpu_s(server.pid) > 0
        server.check_alive()
    assert server.child.process.returncode == -signal.SIGTERM
    with pytest.raises(TargetError, match="ended"):
        process_cpu_s(server.pid)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        ("print('stallscope-server: error: port taken', file=sys.stderr); sys.exit(3)", UnableError, "port taken"),
        ("print('stallscope-server: fewer clients\\nstallscope-server: port taken', file=sys.stderr); sys.exit(3)", UnableError, "^stallscope-server: port taken$"),
        ("sys.exit(2)", UsageError, "status 2"),
        ("print('ready')", UnableError, "not JSON"),
    ],
)  # fmt: skip
def test_a_server_that_cannot_start_raises_a_single_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, error: type, words: str
) -> None:
    install(tmp_path, "stallscope-server", body, monkeypatch)
    with pytest.raises(error, match=words), running_server(ServerOptions()):
        pass


def test_a_server_that_dies_while_serving_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warning = "print('stallscope-server: fewer clients', file=sys.stderr, flush=True)\n"
    end = "sys.exit('out of luck')"
    install(tmp_path, "stallscope-server", warning + READY + end, monkeypatch)
    with pytest.raises(TargetError, match="status 1 during the measurement: out of luck"):
        serve(ServerOptions(), as_json=True)
    printed = capsys.readouterr()
    assert "stallscope-server: fewer clients\n" in printed.err
    document = json.loads(printed.out)
    assert document["schema"] == "stallscope.serve/1"
    assert document["threads"] == [{"tid": 7, "cpu": 1}, {"tid": 8, "cpu": None}]


def test_ctrl_c_ends_the_server_with_exit_code_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in sends SIGINT after the first INFO, when the command is serving."""
    body = f"""
import socket
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
listener = socket.create_server(("127.0.0.1", 0))
ready = {{"event": "ready", "pid": os.getpid(), "port": listener.getsockname()[1], "threads": []}}
print(json.dumps(ready), flush=True)
listener.accept()[0].close()
os.kill({os.getpid()}, signal.SIGINT)
time.sleep(60)
"""
    install(tmp_path, "stallscope-server", body, monkeypatch)
    assert serve(ServerOptions(), as_json=False) == 0


@contextmanager
def replying(reply: bytes) -> Iterator[str]:
    """A port that sends the same reply to every request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def reply_once() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(reply)

        thread = threading.Thread(target=reply_once)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def bulk(text: str) -> bytes:
    return f"${len(text)}\r\n{text}\r\n".encode()


def test_info_ignores_unknown_lines() -> None:
    text = "# Stats\r\ntotal_commands_processed:42\r\n\r\nodd\r\nstage_a:enqueued=9,executed=8,scheduled=3,batches=4,preempted=1,batch_p50=2,delay_p99_us=7\r\nstage_b:broken\r\n"
    with replying(bulk(text)) as target:
        assert commands_processed(target) == 42
    with replying(bulk(text)) as target:
        assert stage_counts(target) == {"a": StageCounts(9, 8, 4, 1)}


@pytest.mark.parametrize(
    "reply",
    [b"", b"-ERR no\r\n", b"$99999999999\r\n", b"$-1\r\n", b"HTTP/1.1 400\r\n", b"$5\r\nab"],
)
def test_a_reply_that_is_not_info_raises_a_single_error(reply: bytes) -> None:
    with replying(reply) as target, pytest.raises(TargetError):
        commands_processed(target)


def test_an_address_without_a_server_raises_a_single_error() -> None:
    for target in ("127.0.0.1:1", "unix:/nowhere", "nonsense", "h:port"):
        with pytest.raises(TargetError, match="does not reply to INFO"):
            info(target, "stats")


def test_the_average_batch_covers_the_increase() -> None:
    before = {"a": StageCounts(10, 10, 10, 0)}
    after = {"a": StageCounts(40, 40, 12, 0), "b": StageCounts(30, 30, 4, 0)}
    assert average_batch(before, after) == 10
    assert average_batch(after, after) is None
    assert average_batch({}, {}) is None


@pytest.mark.parametrize("line", [b"[1]", b"{", b'{"requests": 1}'])
def test_an_unexpected_line_means_another_version(line: bytes) -> None:
    with pytest.raises(UnableError, match="x wrote an unexpected line"):
        decode_line(line, LoadSecond, "x")
