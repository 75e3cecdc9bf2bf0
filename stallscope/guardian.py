"""A process that outlives another process and cleans up after it if it is killed.

The guardian runs in its own session, so that no signal to the guarded process group reaches it. It
waits on a pidfd of the guarded process and on a pipe. A line "group PID TICKS" on the pipe names
the leader of a process group and the start time of that process; such groups are passed to
``clean_up`` if the guarded process dies. The line "done" dismisses the guardian. It runs in
isolated mode (-I), so that the environment does not affect it.
"""

import importlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from stallscope.errors import UnableError
from stallscope.process_group import ProcessGroup, group_of_leader

_HOME = Path(__file__).resolve().parents[1]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from stallscope.guardian import main; main(sys.argv[2:])"
)
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)


class GuardianModule(Protocol):
    """A module that a guardian runs."""

    def clean_up(self, groups: Sequence[ProcessGroup], words: Sequence[str]) -> None:
        """Clean up after the killed process; ``groups`` are those that it reported."""


@dataclass(slots=True)
class Guardian:
    """A running guardian and the pipe to it."""

    process: subprocess.Popen[bytes]
    pipe: int

    def wait_ready(self) -> None:
        """Wait until the guardian watches; UnableError if it could not start."""
        assert self.process.stdout is not None
        if self.process.stdout.read(1) != b"r":
            raise UnableError(
                "the guardian, which cleans up after a kill, did not start",
                "check whether this user may start more processes (ulimit -u)",
            )

    def dismiss(self) -> None:
        """End the guardian; nothing is left to clean up."""
        with suppress(OSError):
            os.write(self.pipe, b"done\n")
        os.close(self.pipe)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.wait()


def start_guardian(module: str, words: Sequence[str], keep: Sequence[int] = ()) -> Guardian:
    """Return a guardian of this process, which may not watch yet.

    ``module`` is the name of a GuardianModule, whose ``clean_up`` gets ``words``; ``keep`` are
    descriptors that the guardian inherits under the same numbers.
    """
    own_pidfd = os.pidfd_open(os.getpid())
    pipe, write = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(_HOME), module, str(own_pidfd),
             str(pipe), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=(own_pidfd, pipe, *keep),
            start_new_session=True,
            env={},
        )  # fmt: skip
    except BaseException:
        os.close(write)
        raise
    finally:
        os.close(own_pidfd)
        os.close(pipe)
    return Guardian(process, write)


def main(words: list[str]) -> None:
    """Wait for the end of the guarded process, then clean up. This is the guardian's process."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    name, pidfd, pipe = words[0], int(words[1]), int(words[2])
    module = cast("GuardianModule", importlib.import_module(name))
    os.write(1, b"r")
    os.close(1)
    groups: list[ProcessGroup] = []
    for line in _lines(pidfd, pipe):
        if line == "done":
            return
        _, pid, start_ticks = line.split()
        group = group_of_leader(int(pid), int(start_ticks))
        if group is not None:
            groups.append(group)
    module.clean_up(groups, words[3:])


def _lines(pidfd: int, pipe: int) -> Iterator[str]:
    """Yield each line of the pipe when it arrives, until the process has ended."""
    pending = b""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    poll.register(pipe, select.POLLIN)
    while True:
        ready = dict(poll.poll())
        if pipe in ready:
            chunk = os.read(pipe, 4096)
            if not chunk:
                poll.unregister(pipe)
            *lines, pending = (pending + chunk).split(b"\n")
            yield from (line.decode("ascii", "replace") for line in lines)
        elif pidfd in ready:
            return


def report(line: str) -> None:
    """Write a line to the error output that the guarded process had; control characters escaped."""
    text = "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in line
    )
    with suppress(OSError):
        os.write(2, f"stallscope: {text}\n".encode("utf-8", "backslashreplace"))
