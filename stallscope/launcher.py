"""Commands that run in a small helper process, which measures each and leaves nothing behind.

The program stallscope-launch is the parent of the commands. It reads requests from a pipe. When the
pipe closes, also because this process was killed, it ends the running command and all of its
descendants, including those in other sessions.
"""

import os
import select
import struct
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.closing import Closing
from stallscope.errors import TargetError, UnableError
from stallscope.programs import program

# The order of both is that of native/launch/requests.hpp.
_REQUEST = struct.Struct("<7Q")
_REPLY = struct.Struct("<15q")
_END_LIMIT_S = 10.0  # of the launcher, which may wait for the grace time of a server
_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedCommand:
    """A command and its limits."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    directory: Path | None = None
    time_limit_s: float | None = None
    grace_s: float = 0.0  # from SIGTERM to SIGKILL; 0: SIGKILL at once
    output_limit_bytes: int = 0  # of stdout and stderr together; 0: output is discarded


@dataclass(frozen=True, slots=True)
class CompletedRun:
    """A run of a command; the usage includes children that the command waited for."""

    exit_status: int  # of exit(); 128 + the number of a signal that ended the command
    begin_ns: int  # CLOCK_MONOTONIC
    wall_ns: int
    user_us: int
    system_us: int
    max_rss_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    timed_out: bool
    leftovers: int  # processes that the command left behind, which were ended
    output_cut: bool
    output: bytes


class Launcher(Closing):
    """A helper process that runs one command at a time."""

    def __init__(self) -> None:
        """Start the helper. It gets no signals from the terminal."""
        self._process = subprocess.Popen(
            [program("stallscope-launch")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
            bufsize=0,
        )
        self._name = ""

    @property
    def pid(self) -> int:
        """Return the helper's process id, the parent of the commands."""
        return self._process.pid

    def run(self, command: LaunchedCommand) -> CompletedRun:
        """Return the run of a command; TargetError if it cannot be started."""
        self.start(command, is_server=False)
        return self.result()

    def start(self, command: LaunchedCommand, *, is_server: bool) -> None:
        """Start a command. The descendants of a server may outlive it until ``close``."""
        self._name = command.arguments[0]
        environment = [f"{name}={value}" for name, value in command.environment.items()]
        strings = [str(command.directory or ""), *command.arguments, *environment]
        if any("\0" in text for text in strings):
            raise TargetError(f"{self._name}: an argument or variable contains NUL", "remove it")
        encoded = b"".join(os.fsencode(text) + b"\0" for text in strings)
        header = _REQUEST.pack(
            round((command.time_limit_s or 0) * _NS),
            round(command.grace_s * _NS),
            command.output_limit_bytes,
            is_server,
            len(command.arguments),
            len(environment),
            len(encoded),
        )
        assert self._process.stdin is not None
        try:
            _write_all(self._process.stdin.fileno(), header + encoded)
        except BrokenPipeError:
            raise self._ended() from None

    def has_ended(self, limit_s: float) -> bool:
        """Wait up to ``limit_s`` seconds; return whether the started command has ended."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], limit_s)[0])

    def result(self) -> CompletedRun:
        """Return the run of the started command, after its end."""
        fields = _REPLY.unpack(self._read(_REPLY.size))
        start_error, status, begin_ns, wall_ns, user_us, system_us, max_rss_bytes = fields[:7]
        minor_faults, major_faults, voluntary, involuntary = fields[7:11]
        timed_out, leftovers, output_cut, output_bytes = fields[11:]
        if start_error:
            raise TargetError(
                f"cannot start {self._name}: {os.strerror(start_error)}",
                "check the name of the program, and whether this user may run it",
            )
        exit_status = os.waitstatus_to_exitcode(status)
        return CompletedRun(
            exit_status=exit_status if exit_status >= 0 else 128 - exit_status,
            begin_ns=begin_ns,
            wall_ns=wall_ns,
            user_us=user_us,
            system_us=system_us,
            max_rss_bytes=max_rss_bytes,
            minor_faults=minor_faults,
            major_faults=major_faults,
            voluntary_switches=voluntary,
            involuntary_switches=involuntary,
            timed_out=bool(timed_out),
            leftovers=leftovers,
            output_cut=bool(output_cut),
            output=self._read(output_bytes),
        )

    def close(self) -> None:
        """End the helper and the command that it runs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stdout.close()

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        parts = bytearray()
        while len(parts) < size:
            chunk = os.read(self._process.stdout.fileno(), size - len(parts))
            if not chunk:
                raise self._ended()
            parts += chunk
        return bytes(parts)

    def _ended(self) -> UnableError:
        return UnableError(
            "stallscope-launch, which runs the commands, ended unexpectedly",
            "check whether it was killed, for example for lack of memory",
        )


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def resolve_program(arguments: Sequence[str], directory: Path | None) -> tuple[str, ...]:
    """Return arguments whose first is a path, found by PATH; TargetError if there is none."""
    import shutil  # noqa: PLC0415 - start-up stays light

    if not arguments:
        raise TargetError("the command is empty", "name a program")
    name = arguments[0]
    if "/" in name:
        path = Path(directory or ".", name)
        if not path.is_file() or not os.access(path, os.X_OK):
            raise TargetError(
                f"there is no program {name}", "name an executable file, or one that PATH contains"
            )
        return (name, *arguments[1:])
    resolved = shutil.which(name)
    if resolved is None:
        raise TargetError(f"there is no program {name} in PATH", "name its path, or install it")
    return (resolved, *arguments[1:])
