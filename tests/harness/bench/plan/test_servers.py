"""Servers of a bench.toml: ready before the runs, stopped after them, named if they fail."""

import socket
import sys
from pathlib import Path

import psutil
import pytest

from harness.bench.plan.bench_file import ServerEntry
from harness.bench.plan.commands import ServerPlan, command_from_words
from harness.bench.plan.servers import running_servers, with_ports
from stallscope.errors import TargetError

# Listens on the port and writes its process id to a file; a child stays behind.
SERVER = """
import os, socket, subprocess, sys
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
child = subprocess.Popen(["sleep", "98.4"], start_new_session=True)
open("pids", "w").write(f"{os.getpid()} {child.pid}")
while True: s.accept()
"""
READY = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))"


def server(folder: Path, *start: str, **settings: object) -> ServerPlan:
    return ServerPlan("kv", ServerEntry(start=start, **settings), folder)  # type: ignore[arg-type]


def test_a_server_is_ready_and_leaves_no_process(tmp_path: Path) -> None:
    plan = server(
        tmp_path,
        sys.executable,
        "-c",
        SERVER,
        "{port}",
        ready=(sys.executable, "-c", READY, "{port}"),
    )
    with running_servers([plan]) as ports:
        (command,) = with_ports([command_from_words(["x", "{port}"])], ports)
        assert command.arguments[1] == "0", "a command without a server has no port"
        assert ports["kv"] > 0
        pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
        assert all(map(psutil.pid_exists, pids))
    assert not any(map(psutil.pid_exists, pids))


def test_without_a_ready_command_a_server_is_ready_when_its_port_accepts(tmp_path: Path) -> None:
    late = f"import time; time.sleep(0.3)\n{SERVER}"
    with running_servers([server(tmp_path, sys.executable, "-c", late, "{port}")]) as ports:
        socket.create_connection(("127.0.0.1", ports["kv"])).close()


def test_a_server_that_ends_is_named_with_its_last_line(tmp_path: Path) -> None:
    plan = server(tmp_path, "/bin/sh", "-c", "echo no such disk; exit 1", ready=("false",))
    with pytest.raises(TargetError, match="kv ended before it was ready: no such disk"):
        running_servers([plan]).__enter__()


def test_a_server_that_is_never_ready_is_named(tmp_path: Path) -> None:
    plan = server(tmp_path, "/bin/sleep", "98.3", ready=("false",), ready_limit_s=0.0)
    with pytest.raises(TargetError, match="not ready after 0 s"):
        running_servers([plan]).__enter__()
