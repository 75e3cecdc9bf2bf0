"""A process that outlives another one, to put away what that would leave behind when it is killed.

In a session of its own, so that no signal to the other's group reaches it. It waits on a pidfd of
the other and on a pipe; what is said on the pipe, a line each, it passes on to ``put_away``, and
"done" dismisses it. Started isolated (-I): what is in the environment does not reach it.
"""

import importlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from stallscope.errors import UnableError

_HOME = Path(__file__).resolve().parents[1]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from stallscope.guardian import main; main(sys.argv[2:])"
)
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)


class Keeper(Protocol):
    """A module of which a guardian is made."""

    def put_away(self, heard: Sequence[str], words: Sequence[str]) -> None:
        """Put away what the one that was killed left; ``heard`` is what it said before."""


@dataclass(slots=True)
class Guardian:
    """A running guardian and the pipe to it."""

    process: subprocess.Popen[bytes]
    pipe: int

    def wait_ready(self) -> None:
        """Return once it watches; UnableError where it could not start."""
        assert self.process.stdout is not None
        if self.process.stdout.read(1) != b"r":
            raise UnableError(
                "the guardian that puts away after a kill did not start",
                "see whether this user may start more processes (ulimit -u)",
            )

    def dismiss(self) -> None:
        """Let it end: nothing is left to put away."""
        with suppress(OSError):
            os.write(self.pipe, b"done\n")
        os.close(self.pipe)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.wait()


def start_guardian(module: str, words: Sequence[str], keep: Sequence[int] = ()) -> Guardian:
    """Return a guardian of this process; it may not watch yet.

    ``module`` is one with ``put_away`` (a Keeper), called with ``words``; ``keep`` are descriptors
    that it holds as well, by their numbers.
    """
    ours = os.pidfd_open(os.getpid())
    pipe, write = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(_HOME), module, str(ours), str(pipe),
             *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=(ours, pipe, *keep),
            start_new_session=True,
            env={},
        )  # fmt: skip
    except BaseException:
        os.close(write)
        raise
    finally:
        os.close(ours)
        os.close(pipe)
    return Guardian(process, write)


def main(words: list[str]) -> None:
    """Wait for the other's end, then put away; the guardian's own process."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    module, other, pipe = words[0], int(words[1]), int(words[2])
    keeper = cast("Keeper", importlib.import_module(module))
    os.write(1, b"r")
    os.close(1)
    heard = _wait(other, pipe).decode("ascii", "replace").splitlines()
    if "done" not in heard:
        keeper.put_away(heard, words[3:])


def _wait(other: int, pipe: int) -> bytes:
    """Return what was said on the pipe until the other's end, or until all is done."""
    heard = b""
    poll = select.poll()
    poll.register(other, select.POLLIN)
    poll.register(pipe, select.POLLIN)
    while b"done\n" not in heard:
        ready = dict(poll.poll())
        if pipe in ready:
            part = os.read(pipe, 4096)
            heard += part
            if not part:
                poll.unregister(pipe)
        elif other in ready:
            break
    return heard


def tell(line: str) -> None:
    """Write what was put away to whom the other one wrote its errors."""
    with suppress(OSError):
        os.write(2, f"stallscope: {line}\n".encode("utf-8", "backslashreplace"))
