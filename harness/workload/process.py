"""Starting the native server and loader so that neither outlives us, and reading what they say.

Both stand in process groups of their own: Ctrl-C reaches only us, and we choose who ends first.
Where we are killed they end by `--die-with-parent`.
"""

import json
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from stallscope.errors import ExitCode, StallscopeError, TargetError, UnableError, UsageError
from stallscope.json_fields import Fields
from stallscope.programs import program

_PATIENCE_S = 10.0
_LONGEST_MESSAGE = 4096
_ERRORS: dict[int, type[StallscopeError]] = {
    ExitCode.USAGE: UsageError,
    ExitCode.UNABLE: UnableError,
}


@dataclass(frozen=True, slots=True)
class Child:
    """One of our programs at work; ``messages`` is what it wrote on standard error."""

    name: str
    process: "subprocess.Popen[bytes]"
    messages: IO[bytes]

    @property
    def lines(self) -> IO[bytes]:
        """Return its standard output."""
        assert self.process.stdout is not None
        return self.process.stdout


@contextmanager
def started(name: str, arguments: Sequence[str]) -> Iterator[Child]:
    """Run one of our programs until the end of the block: asked to end, then killed."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [program(name), *arguments, "--die-with-parent"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            process_group=0,
        )
        with process:
            try:
                yield Child(name, process, messages)
            finally:
                _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def first_line(child: Child) -> Fields:
    """Return the JSON object of the first line; raises what ``failure`` says where none comes."""
    if not select.select([child.lines], [], [], _PATIENCE_S)[0]:
        raise TargetError(
            f"{child.name} was not ready after {_PATIENCE_S:g} s", "give it more of the machine"
        )
    line = child.lines.readline()
    if not line:
        child.process.wait()
        raise failure(child)
    return json_line(line, child.name)


def json_line(line: bytes, name: str) -> Fields:
    """Return a line's JSON object; UnableError where it is none: another version's program."""
    try:
        values = json.loads(line)
    except ValueError as error:
        raise UnableError(
            f"{name} wrote a line that is no JSON",
            "install stallscope again, or in a checkout run ./dev build",
        ) from error
    return Fields(values if isinstance(values, dict) else {}, name)


def failure(child: Child) -> StallscopeError:
    """Return why a program that has ended did so, by its own message and status."""
    message, remedy = _message(child)
    status = child.process.returncode
    if status < 0:
        message = message or f"{child.name} was ended by {signal.Signals(-status).name}"
    if status == ExitCode.USAGE and message:
        remedy = remedy or "change that option: --help tells of all"
    return _ERRORS.get(status, TargetError)(
        message or f"{child.name} ended with status {status}",
        remedy or f"run {child.name} by itself to see why",
    )


def messages(child: Child) -> list[str]:
    """Return the lines that a program has written on standard error, the first 4 KB of them.

    The program's own place in the file, which it shares with us, stays where it is.
    """
    text = os.pread(child.messages.fileno(), _LONGEST_MESSAGE, 0).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _message(child: Child) -> tuple[str, str]:
    """Return the error and the remedy among what a program wrote on standard error.

    The error is the last line under the program's name: warnings may stand before it.
    """
    error, remedy, named = "", "", f"{child.name}:"
    for said in messages(child):
        if said.startswith("remedy:"):
            remedy = said.removeprefix("remedy:").strip()
        elif said.startswith(named) or not error:
            error = said.replace(f"{named} error:", named, 1)
    return error, remedy
