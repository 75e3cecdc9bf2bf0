"""Restores when the one who pinned is killed: a process of its own, in a session of its own.

It waits on a pidfd of the wrapper and on a pipe. "command PID" on the pipe says whom to end, "done"
that all is put back already. It holds the level's lock along with the wrapper, so that no other pin
begins before it is through. Started isolated (-I): what is in the environment does not reach it.
"""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cstates.pinning.claims import Claim, end_deeper, settle_deeper
from cstates.pinning.restoring import Fate, put_back
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots

_HOME = Path(__file__).resolve().parents[2]
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from cstates.pinning.guardian import main; main(sys.argv[2:])"
)


@dataclass(slots=True)
class Guardian:
    """A running guardian and the pipe to it."""

    process: subprocess.Popen[bytes]
    pipe: int

    def wait_ready(self) -> None:
        """Return once it watches; UnableError where it could not start."""
        assert self.process.stdout is not None
        if self.process.stdout.read(1) != b"r":
            from stallscope.errors import UnableError  # noqa: PLC0415 - rare

            raise UnableError("the guardian that restores after a kill did not start")

    def dismiss(self) -> None:
        """Let it end: nothing is left to restore."""
        with suppress(OSError):
            os.write(self.pipe, b"done\n")
        os.close(self.pipe)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.wait()


def start_guardian(claim: Claim, roots: Roots) -> Guardian:
    """Return a guardian of this process's claim; it may not watch yet."""
    ours = os.pidfd_open(os.getpid())
    pipe, write = os.pipe()
    kept = (claim.folder, claim.lock, ours, pipe)
    words = [str(each) for each in (claim.level, *kept, roots.sys, roots.proc, roots.files)]
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(_HOME), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=kept,
            start_new_session=True,
            env={},
        )
    finally:
        os.close(ours)
        os.close(pipe)
    return Guardian(process, write)


def main(words: list[str]) -> None:
    """Wait for the wrapper's end, then end the command and restore."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    level, folder, _lock, wrapper, pipe = map(int, words[:5])
    system, proc, files = map(Path, words[5:])
    os.write(1, b"r")
    os.close(1)
    heard = _wait(wrapper, pipe)
    lines = heard.decode("ascii", "replace").splitlines()
    if "done" in lines:
        return
    ended = [int(line.split()[1]) for line in lines if line.startswith("command ")]
    for pid in ended:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    _restore(Roots(proc, system, files), folder, level)


def _wait(wrapper: int, pipe: int) -> bytes:
    """Return what was said on the pipe until the wrapper's end, or until all is done."""
    heard = b""
    poll = select.poll()
    poll.register(wrapper, select.POLLIN)
    poll.register(pipe, select.POLLIN)
    while b"done\n" not in heard:
        ready = dict(poll.poll())
        if pipe in ready:
            part = os.read(pipe, 4096)
            heard += part
            if not part:
                poll.unregister(pipe)
        elif wrapper in ready:
            break
    return heard


def _restore(roots: Roots, folder: int, level: int) -> None:
    try:
        end_deeper(folder, level)
        settle_deeper(folder, roots, level)
        restored = put_back(roots, folder, level)
    except (StallscopeError, OSError) as error:
        _tell(f"the pin was killed and could not be restored: {error}")
        return
    if restored is None:
        return
    _tell(f"the pin was killed; its guardian restored {len(restored.of(Fate.RESTORED))} settings")
    for each in (*restored.of(Fate.FOREIGN), *restored.of(Fate.FAILED)):
        _tell(f"{each.change.path}: {each.fate} ({each.found})")


def _tell(line: str) -> None:
    with suppress(OSError):
        os.write(2, f"stallscope: {line}\n".encode("utf-8", "backslashreplace"))
