"""Child processes for the native server and loader, which end when their parent ends.

Each child has its own process group: Ctrl-C reaches only the parent, which decides the order in
which the children end. If the parent is killed, `--die-with-parent` ends them.
"""

import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TypeVar

from stallscope.documents import decode
from stallscope.errors import (
    ExitCode,
    OutputError,
    RecordingError,
    StallscopeError,
    TargetError,
    UnableError,
    UsageError,
)
from stallscope.programs import program

T = TypeVar("T")
_TIMEOUT_S = 10.0
_MAX_STDERR_BYTES = 4096
_ERRORS: dict[int, type[StallscopeError]] = {
    ExitCode.USAGE: UsageError,
    ExitCode.UNABLE: UnableError,
    ExitCode.UNWRITABLE: OutputError,
}


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A running native program; ``stderr`` is the file that holds its standard error."""

    name: str
    process: "subprocess.Popen[bytes]"
    stderr: IO[bytes]

    @property
    def stdout(self) -> IO[bytes]:
        """Return its standard output."""
        assert self.process.stdout is not None
        return self.process.stdout


@contextmanager
def running_program(
    name: str, arguments: Sequence[str], *, descriptors: Sequence[int] = ()
) -> Iterator[ChildProcess]:
    """Run a native program until the end of the block: terminated then, and killed if it hangs.

    It inherits the descriptors.
    """
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [program(name), *arguments, "--die-with-parent"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            process_group=0,
            pass_fds=descriptors,
        )
        with process:
            try:
                yield ChildProcess(name, process, stderr)
            finally:
                _terminate(process)


def _terminate(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read_first_line(child: ChildProcess, kind: type[T]) -> T:
    """Return the document in the first line of output.

    Raises ``exit_error`` if the program ends without one, TargetError after a timeout.
    """
    if not select.select([child.stdout], [], [], _TIMEOUT_S)[0]:
        raise TargetError(
            f"{child.name} was not ready after {_TIMEOUT_S:g} s",
            "reduce the load on this machine and try again",
        )
    line = child.stdout.readline()
    if not line:
        child.process.wait()
        raise exit_error(child)
    return decode_line(line, kind, child.name)


def decode_line(line: bytes, kind: type[T], name: str) -> T:
    """Return the document in a line of a program's output.

    Raises UnableError if the line is another document: the program is of another version.
    """
    try:
        return decode(line, kind, name)
    except RecordingError as error:
        raise UnableError(
            f"{name} wrote an unexpected line: {error.message}",
            "reinstall stallscope, or run ./dev build in a checkout",
        ) from error


def exit_error(child: ChildProcess) -> StallscopeError:
    """Return the error for a program that has ended, from its own message and exit status."""
    message, remedy = _error_and_remedy(child)
    status = child.process.returncode
    if status < 0:
        message = message or f"{child.name} was killed by {signal.Signals(-status).name}"
    if status == ExitCode.USAGE and message:
        remedy = remedy or "change that option; --help lists all options"
    return _ERRORS.get(status, TargetError)(
        message or f"{child.name} exited with status {status}",
        remedy or f"run {child.name} alone to see why",
    )


def stderr_lines(child: ChildProcess) -> list[str]:
    """Return the lines that a program has written to standard error, from the first 4 KB.

    The file offset, which the program shares with this process, does not move.
    """
    text = os.pread(child.stderr.fileno(), _MAX_STDERR_BYTES, 0).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _error_and_remedy(child: ChildProcess) -> tuple[str, str]:
    """Return error and remedy from a program's standard error.

    The error is the last line that begins with the program's name; warnings may come before it.
    """
    error, remedy, prefix = "", "", f"{child.name}:"
    for line in stderr_lines(child):
        if line.startswith("remedy:"):
            remedy = line.removeprefix("remedy:").strip()
        elif line.startswith(prefix) or not error:
            error = line.replace(f"{prefix} error:", prefix, 1)
    return error, remedy
