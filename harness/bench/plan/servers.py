"""The servers of a bench.toml: started, ready, stopped; none is left behind."""

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from harness.bench.plan.commands import BenchCommand, ServerPlan, file_words
from stallscope.errors import TargetError
from stallscope.launcher import LaunchedCommand, Launcher, resolve_program

_OUTPUT_LIMIT_BYTES = 65_536
_GRACE_S = 2.0
_READY_PERIOD_S = 0.05
_NO_PORT = 0


@contextmanager
def running_servers(servers: Sequence[ServerPlan]) -> Iterator[dict[str, int]]:
    """Yield the port of each server by name, once all are ready; they stop at the end.

    A server whose command ends, is not ready in time or leaves its port unused raises TargetError
    with the last line of its output.
    """
    with ExitStack() as stack:
        yield {server.name: stack.enter_context(_running_server(server)) for server in servers}


def with_ports(commands: Sequence[BenchCommand], ports: dict[str, int]) -> tuple[BenchCommand, ...]:
    """Return the commands with the ports of their servers."""
    return tuple(
        replace(
            command,
            arguments=_with_port(command.arguments, ports.get(command.server, _NO_PORT)),
        )
        for command in commands
    )


@contextmanager
def _running_server(server: ServerPlan) -> Iterator[int]:
    port = _free_port()
    with Launcher() as launcher, Launcher() as second:
        launcher.start(
            _launched(server, "start", port, output_limit_bytes=_OUTPUT_LIMIT_BYTES),
            is_server=True,
        )
        _wait_ready(server, launcher, second, port)
        try:
            yield port
        finally:
            if server.entry.stop:
                second.run(_launched(server, "stop", port, time_limit_s=10.0))
                launcher.has_ended(_GRACE_S)


def _wait_ready(server: ServerPlan, launcher: Launcher, second: Launcher, port: int) -> None:
    entry = server.entry
    deadline_s = time.monotonic() + entry.ready_limit_s
    check = None
    if entry.ready:
        check = _launched(server, "ready", port, time_limit_s=max(entry.ready_limit_s, 0.1))
    start = file_words(entry.start, f"servers.{server.name}.start")
    uses_port = any("{port}" in word for word in start)
    while True:
        if launcher.has_ended(_READY_PERIOD_S):
            output = launcher.result().output.decode("utf-8", "replace").strip()
            last = output.splitlines()[-1] if output else "no output"
            raise TargetError(
                f"server {server.name} ended before it was ready: {last}",
                "start it in the foreground, and let its output name the reason",
            )
        if check is not None:
            is_ready = second.run(check).exit_status == 0
        else:
            is_ready = not uses_port or _accepts_connections(port)
        if is_ready:
            return
        if time.monotonic() >= deadline_s:
            raise TargetError(
                f"server {server.name} is not ready after {entry.ready_limit_s:g} s",
                "check its ready command or its port, or raise ready_limit_s",
            )


def _launched(
    server: ServerPlan,
    part: str,
    port: int,
    *,
    output_limit_bytes: int = 0,
    time_limit_s: float | None = None,
) -> LaunchedCommand:
    words = file_words(getattr(server.entry, part), f"servers.{server.name}.{part}")
    environment = BenchCommand(
        name=server.name, arguments=(), environment=server.entry.environment
    ).full_environment()
    return LaunchedCommand(
        arguments=resolve_program(_with_port(words, port), server.directory),
        environment=environment,
        directory=server.directory,
        time_limit_s=time_limit_s,
        grace_s=_GRACE_S,
        output_limit_bytes=output_limit_bytes,
    )


def _with_port(words: Sequence[str], port: int) -> tuple[str, ...]:
    return tuple(word.replace("{port}", str(port)) for word in words)


def _free_port() -> int:
    """Return a TCP port of the loopback interface that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _accepts_connections(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(_READY_PERIOD_S)
        return client.connect_ex(("127.0.0.1", port)) == 0
