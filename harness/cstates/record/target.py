"""What runs while idle intervals are recorded: a command, a while, or until Ctrl-C."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from harness.cstates.record.files import Ending
from stallscope.errors import TargetError

_PATIENCE_S = 5.0  # for a command that was interrupted with us
_NAP_S = 3600.0
_SETTLED_S = 0.2  # by then a command such as taskset has become what it runs


class Target:
    """Runs once; ``ending`` tells afterwards how it ended, ``cpus`` where its process might run.

    These are None without a command, and where it ended at once.
    """

    def __init__(self, command: Sequence[str], duration_s: float | None) -> None:
        self._command = tuple(command)
        self._duration_s = duration_s
        self.ending = Ending("interrupted")
        self.cpus: tuple[int, ...] | None = None

    def run(self) -> None:
        """Wait until it is over; Ctrl-C ends it. Raises TargetError where there is no command."""
        with suppress(KeyboardInterrupt):
            if self._command:
                self._run_command()
            elif self._duration_s is not None:
                time.sleep(self._duration_s)
                self.ending = Ending("duration")
            else:
                while True:
                    time.sleep(_NAP_S)

    def _run_command(self) -> None:
        try:
            process = subprocess.Popen(self._command)
        except OSError as error:
            raise TargetError(
                f"cannot run {self._command[0]}: {error.strerror}", "name a program that is there"
            ) from error
        try:
            self.ending = Ending("command", _status(self._wait(process)))
        except subprocess.TimeoutExpired:
            self.ending = Ending("duration")
        finally:
            _end(process)

    def _wait(self, process: "subprocess.Popen[bytes]") -> int:
        """Return the command's status; TimeoutExpired after the duration."""
        rest_s = self._duration_s
        if rest_s is None or rest_s > _SETTLED_S:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_SETTLED_S)
            with suppress(ProcessLookupError):
                self.cpus = tuple(sorted(os.sched_getaffinity(process.pid)))
            rest_s = None if rest_s is None else rest_s - _SETTLED_S
        return process.wait(rest_s)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a command that still runs; an interrupt may have reached it too."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _status(code: int) -> str:
    return f"exited {code}" if code >= 0 else f"signalled {-code}"
