"""What runs while idle intervals are recorded: a command, a duration, or until Ctrl-C."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from harness.cstates.record.result import RecordingEnd
from stallscope.errors import TargetError

_TERMINATION_TIMEOUT_S = 5.0  # for a command that was interrupted
_SLEEP_S = 3600.0
_EXEC_S = 0.2  # after this time a command such as taskset has started the actual program


class RecordedWorkload:
    """Runs once; afterwards ``end`` is how it ended, ``cpus`` the affinity of the command.

    ``cpus`` is None without a command or if it ended immediately.
    """

    def __init__(self, command: Sequence[str], duration_s: float | None) -> None:
        self._command = tuple(command)
        self._duration_s = duration_s
        self.end = RecordingEnd(reason="interrupted")
        self.cpus: tuple[int, ...] | None = None

    def run(self) -> None:
        """Wait until it ends or Ctrl-C; raises TargetError if the command cannot start."""
        with suppress(KeyboardInterrupt):
            if self._command:
                self._run_command()
            elif self._duration_s is not None:
                time.sleep(self._duration_s)
                self.end = RecordingEnd(reason="duration")
            else:
                while True:
                    time.sleep(_SLEEP_S)

    def _run_command(self) -> None:
        try:
            process = subprocess.Popen(self._command)
        except OSError as error:
            raise TargetError(
                f"cannot run {self._command[0]}: {error.strerror}", "name an existing program"
            ) from error
        try:
            self.end = RecordingEnd(reason="command", status=_status(self._wait(process)))
        except subprocess.TimeoutExpired:
            self.end = RecordingEnd(reason="duration")
        finally:
            _terminate(process)

    def _wait(self, process: "subprocess.Popen[bytes]") -> int:
        """Return the command's status; raises TimeoutExpired after the duration."""
        remaining_s = self._duration_s
        if remaining_s is None or remaining_s > _EXEC_S:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_EXEC_S)
            with suppress(ProcessLookupError):
                self.cpus = tuple(sorted(os.sched_getaffinity(process.pid)))
            remaining_s = None if remaining_s is None else remaining_s - _EXEC_S
        return process.wait(remaining_s)


def _terminate(process: "subprocess.Popen[bytes]") -> None:
    """End a command that is still running; an interrupt may have reached it too."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_TERMINATION_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _status(code: int) -> str:
    return f"exited {code}" if code >= 0 else f"signalled {-code}"
