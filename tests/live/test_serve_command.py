"""`stallscope serve` and `stallscope load` on a terminal: live line, regular end."""

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from stallscope.errors import ExitCode
from tests.documents import assert_valid

STALLSCOPE = Path(sys.executable).with_name("stallscope")


def start_on_terminal(*words: str | Path) -> tuple["subprocess.Popen[str]", int]:
    """Start a command whose standard error is a terminal; return it and the controlling end."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [STALLSCOPE, *words], stdout=subprocess.PIPE, stderr=terminal, text=True
    )
    os.close(terminal)
    return process, controller


def read_until(terminal: int, words: str) -> str:
    """The text sent to a terminal until it contains the words; fails if the command ends first."""
    text = ""
    while words not in text:
        text += os.read(terminal, 4096).decode()  # OSError if the command has ended
    return text


def test_a_server_serves_until_ctrl_c(tmp_path: Path) -> None:
    process, terminal = start_on_terminal("serve", "--port", "0", "--path", "kv", "--json")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert_valid("serve", line)
        ready = json.loads(line)
        assert ready["schema"] == "stallscope.serve/1"
        address = ("127.0.0.1", ready["port"])
        with socket.create_connection(address) as client:
            client.sendall(b"SET a 1\r\nGET a\r\n")
            assert client.recv(100).startswith(b"+OK\r\n")
            assert "requests/s, CPU" in read_until(terminal, "CPU")
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        assert not psutil.pid_exists(ready["pid"])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
    finally:
        process.kill()
        process.communicate()
        os.close(terminal)


def test_a_load_shows_every_second_on_a_terminal(tmp_path: Path) -> None:
    server, terminal = start_on_terminal("serve", "--port", "0", "--json")
    try:
        assert server.stdout is not None
        target = json.loads(server.stdout.readline())["target"]
        words = ("--duration", "1.2", "--warmup", "0", "--rate", "300", "-c", "2", "--check")
        load, line = start_on_terminal("load", target, *words, "-o", tmp_path / "run", "--json")
        assert "requests/s, p50" in read_until(line, "p50")
        printed, _ = load.communicate(timeout=60)
        os.close(line)
        assert load.returncode == 0
        assert_valid("load", printed)
        document = json.loads(printed)
        assert (document["lost"], document["reordered"], document["errors"]) == (0, 0, 0)
    finally:
        server.kill()
        server.communicate()
        os.close(terminal)


def test_a_rejected_option_shows_the_servers_message() -> None:
    process = subprocess.run(
        [STALLSCOPE, "serve", "--bind", "0.0.0.0", "--port", "0"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert process.returncode == ExitCode.USAGE
    assert "--password-file" in process.stderr
    assert not process.stdout
