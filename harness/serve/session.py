"""One `stallscope serve`: what it says when ready, a live line while it runs, its orderly end."""

import json
import select
import socket
import time
from typing import IO

import click

from harness.cli.terminal import LiveLine, colours, note, printable
from harness.workload.options import ServerOptions
from harness.workload.process import stderr_lines
from harness.workload.server import RunningServer, process_cpu_s, running_server
from harness.workload.server_queries import commands_processed
from stallscope.errors import ExitCode, TargetError
from stallscope.interrupts import count_interrupts

SCHEMA = "stallscope.serve/1"
_TURN_S = 1.0


def serve(options: ServerOptions, *, as_json: bool) -> int:
    """Return the exit code, once Ctrl-C ended the server in order; raises where it cannot run."""
    line = LiveLine()
    ended, end = socket.socketpair()
    with (
        ended,
        end,
        running_server(options) as server,
        count_interrupts(lambda: end.shutdown(socket.SHUT_RDWR)),
    ):
        click.echo(
            json.dumps(ready_document(server)) if as_json else ready_text(server), color=colours()
        )
        for message in stderr_lines(server.child):
            note(message)
        note("Ctrl-C ends it")
        try:
            _follow(server, line, ended)
        finally:
            line.clear()
    return int(ExitCode.DONE)


def _follow(server: RunningServer, line: LiveLine, ended: socket.socket) -> None:
    """Show what the server does, until it was asked to end; raises where it ended by itself."""
    watched: list[socket.socket | IO[bytes]] = [ended, server.child.stdout]
    before = _reading(server)
    while True:
        readable, _, _ = select.select(watched, [], [], _TURN_S)
        if ended in readable:
            return
        if readable:
            server.child.process.wait()
        server.check_alive()
        now = _reading(server)
        if before is not None and now is not None:
            seconds = now[0] - before[0]
            line.show(
                f"serving on {server.target}: {(now[1] - before[1]) / seconds:,.0f} requests/s, "
                f"CPU {(now[2] - before[2]) / seconds:.0%}"
            )
        before = now


def _reading(server: RunningServer) -> tuple[float, int, float] | None:
    """Return the time, commands and CPU seconds so far; None while the server does not tell."""
    try:
        commands = commands_processed(server.target, server.options.password_file)
        return time.monotonic(), commands, process_cpu_s(server.pid)
    except TargetError:
        return None


def ready_document(server: RunningServer) -> dict[str, object]:
    """Return the JSON document of a server that is ready, schema ``stallscope.serve/1``."""
    return {
        "schema": SCHEMA,
        "pid": server.pid,
        "target": server.target,
        "port": server.port,
        "unix": None if server.options.unix is None else str(server.options.unix),
        "metrics_port": server.metrics_port,
        "path": server.options.path,
        "stages": server.options.stages,
        "threads": [{"tid": thread.tid, "cpu": thread.cpu} for thread in server.threads],
    }


def ready_text(server: RunningServer) -> str:
    """Return what a person is told: where it listens, its pid, and what to do next."""
    options = server.options
    stages = "in stages" if options.stages else "without stages"
    synthetic = " (synthetic code)" if options.path == "codec" else ""
    head = (
        f"stallscope-server, pid {server.pid}, on {printable(server.target)}: "
        f"path {options.path}{synthetic} {stages}, {options.threads} thread"
        f"{'s' if options.threads > 1 else ''}"
    )
    lines = [
        head,
        f"  stallscope load {printable(server.target)}",
        f"  stallscope profile -p {server.pid}",
    ]
    if options.unix is not None and server.port is not None:
        lines.insert(1, f"  also on unix:{printable(str(options.unix))}")
    if server.metrics_port is not None:
        lines.append(f"  metrics: http://127.0.0.1:{server.metrics_port}/metrics")
    return "\n".join(lines)
