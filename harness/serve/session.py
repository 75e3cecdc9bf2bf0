"""A run of `stallscope serve`: the ready message, a live line, an orderly end."""

import select
import socket
import time
from dataclasses import dataclass
from typing import IO

import click

from harness.cli.brief import document_text
from harness.cli.terminal import LiveLine, colours, note
from harness.serve.result import serve_result
from harness.serve.text import lines
from harness.workload.options import ServerOptions
from harness.workload.process import stderr_lines
from harness.workload.server import RunningServer, process_cpu_s, running_server
from harness.workload.server_queries import commands_processed
from stallscope.errors import ExitCode, TargetError
from stallscope.interrupts import count_interrupts

_POLL_S = 1.0


def serve(options: ServerOptions, *, as_json: bool) -> int:
    """Return the exit code after Ctrl-C ended the server; raises if the server cannot run."""
    live = LiveLine()
    ended, end = socket.socketpair()
    with (
        ended,
        end,
        running_server(options) as server,
        count_interrupts(lambda: end.shutdown(socket.SHUT_RDWR)),
    ):
        result = serve_result(server)
        click.echo(document_text(result) if as_json else "\n".join(lines(result)), color=colours())
        for message in stderr_lines(server.child):
            note(message)
        note("Ctrl-C ends it")
        try:
            _follow(server, live, ended)
        finally:
            live.clear()
    return int(ExitCode.DONE)


@dataclass(frozen=True, slots=True)
class _ServerReading:
    time_s: float
    commands: int
    cpu_s: float


def _follow(server: RunningServer, live: LiveLine, ended: socket.socket) -> None:
    """Show the server's rate until Ctrl-C; raises if the server ends on its own."""
    watched: list[socket.socket | IO[bytes]] = [ended, server.child.stdout]
    before = _read(server)
    while True:
        readable, _, _ = select.select(watched, [], [], _POLL_S)
        if ended in readable:
            return
        if readable:
            server.child.process.wait()
        server.check_alive()
        now = _read(server)
        if before is not None and now is not None:
            seconds = now.time_s - before.time_s
            live.show(
                f"serving on {server.target}: "
                f"{(now.commands - before.commands) / seconds:,.0f} requests/s, "
                f"CPU {(now.cpu_s - before.cpu_s) / seconds:.0%}"
            )
        before = now


def _read(server: RunningServer) -> _ServerReading | None:
    """Return the counts so far; None if the server does not reply."""
    try:
        commands = commands_processed(server.target, server.options.password_file)
        return _ServerReading(time.monotonic(), commands, process_cpu_s(server.pid))
    except TargetError:
        return None
